"""CSL processor: citations and bibliographies in any CSL style, from CSL-JSON records.

The locales are those of citeproc-py; its rendering is not used: of the 845 cases of the CSL test suite citeproc-py
alone passes 516, this package 752 (`CITELOOM_BENCH_ONLY=csl_suite make bench`).
"""
