"""Evidence: quotations verified, manuscripts checked, citations formatted."""
