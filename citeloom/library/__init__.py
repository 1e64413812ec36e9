"""A project's content: its documents, their text and page images, passages added by agents."""
