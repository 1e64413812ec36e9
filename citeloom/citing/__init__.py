"""CSL processor: citations and bibliographies in any CSL style, from CSL-JSON records.

It uses the locales and element classes of citeproc-py, but renders by itself: of the 845 cases of the CSL test suite
citeproc-py alone passes 516, this package 752 (`CITELOOM_BENCH_ONLY=csl_suite make bench`).
"""
