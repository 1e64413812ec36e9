"""The search page: the hits that an agent would get, and the page of the chosen one."""
