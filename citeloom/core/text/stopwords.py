"""Function words of English, German, French, Spanish, Italian and Dutch, which are independent of the topic.

Lists that a standard defines stay with it: the words that CSL does not capitalize (csl/text/case.py), those that Better
BibTeX leaves out of citekeys (bibliography/citekeys.py), and the stop words of BM25 (index/models/stemming.py).
"""

from __future__ import annotations

_FREQUENT = """
    a all am an and are as at be been but by can do for from had has have he her his if in is it more no not of on
    one or so that the their there they this to was we were when which who will with would you aber als auch auf aus
    bei bis das dass dem den der des die du durch ein eine einem einen einer er es für hat haben im ist man mehr mit
    nach nicht noch nur oder sich sie sind über um und von vor war werden wie wird zu zum zur au ce dans de en est
    et il la le les ne par pas pour que qui se sur un une y al como con del el las lo los o para por su una e che da
    di non per si sono aan dat een het met niet op te van voor zijn"""
_OTHER = """
    about after also any because being both could did does done each either here hers him how i into its itself just
    may me might most much must my neither nor off only other our out over own same shall she should some such than
    them then these those though through thus too under until up upon us very what where while whom whose why within
    without yet your doch eines hatte ich ihr ja kann kein keine ob sein seine uns unter vom waren wenn wir wurde
    wurden aux avec ces cette elle ils je leur lui mais nous ou où plus qu sa ses son sont vous à été ella era esta
    este ha hay más nos pero sin sus unos ya è ed chi ci dal dalla degli dei della delle gli ma nel nella più sul
    sulla tra uno deze dit door ge hij ik maar naar nog om ook tot uit wat wel werd worden zich zij"""

FREQUENT_WORDS = frozenset(_FREQUENT.split())  # prose in one of these languages has several in every sentence
FUNCTION_WORDS = FREQUENT_WORDS | frozenset(_OTHER.split())
