"""Assistant for the first project, in five steps that can be skipped."""
