"""Text recognition (OCR) of page images."""
