"""The words and sentence patterns that the prose of made papers is built from."""

from __future__ import annotations


def _list(text: str) -> tuple[str, ...]:
    return tuple(" ".join(entry.split()) for entry in text.split(";") if entry.strip())


NAMES = _list("""
Smith; Okafor; Lindqvist; Brandt; Moreau; Castellanos; Ferreira; Takahashi; Novak; Petrov; Haddad; Fitzgerald; Jensen;
Kowalski; Andersson; Rossi; Bianchi; van Dijk; de Vries; O’Connor; Müller; Schäfer; Größer; Weiß; Nakamura; Oyelaran;
Whitfield; Ashdown; Marchetti; Delacroix; Sørensen; Iversen; Papadakis; Horvath; Szabo; Reinhardt; Falkenberg;
Osterloh; Wischnewski; Abernathy; Calloway; Dunmore; Eastwick; Garrity; Hollis; Jovanovic; Kimura; Lundgren;
Merriweather; Nordstrom; Pemberton; Quinlan; Ridgeway; Sinclair; Thorne; Underhill; Vasquez; Winslow; Yamamoto; Zeller
""")

PLACES = _list("""
Lübeck; Bruges; Antwerp; Bergen; Riga; Danzig; Novgorod; Visby; Genoa; Venice; Ragusa; Seville; Lisbon; Bordeaux;
Bristol; Norwich; Southampton; Kampen; Deventer; Cologne; Frankfurt; Leipzig; Augsburg; Nuremberg; Regensburg; Vienna;
Cracow; Lemberg; Constantinople; Alexandria; Aleppo; Tripoli; Marseille; Barcelona; Valencia; Porto; Rouen; Dieppe;
Calais; Ghent; Ypres; Stockholm; Turku; Reval; Stralsund; Rostock; Wismar; Hamburg; Bremen; Emden; Aberdeen; Dundee
""")

ENGLISH = {
    "nouns": _list("""
        merchants; ledgers; harbours; tariffs; letters; inventories; guilds; auctions; warehouses; contracts; brokers;
        customs officers; notaries; shipowners; apprentices; weights; measures; coinages; privileges; ordinances;
        treaties; convoys; pilots; sailors; fishermen; salters; weavers; dyers; tanners; millers; bakers; brewers;
        magistrates; chroniclers; surveyors; bookkeepers; widows; heirs; creditors; debtors; partners; factors;
        shipments; cargoes; invoices; receipts; seals; registers; parchments; catalogues; account books; bills;
        price series; court records; petitions; testimonies; testaments; dowries; rents; mortgages; annuities;
        tolls; excises; fees; penalties; revenues; expenditures; deficits; surpluses; harvests; famines; epidemics;
        storms; floods; fires; sieges; blockades; embargoes; reprisals; settlements; colonies; outposts; fairs;
        markets; quarters; parishes; monasteries; hospitals; schools; workshops; shipyards; quarries; mines; forests;
        meadows; rivers; canals; bridges; roads; caravans; wagons; barrels; chests; bundles; sacks; fleeces; textiles
    """),
    "adj": _list("""
        early; late; northern; southern; eastern; western; coastal; inland; wealthy; modest; anonymous; influential;
        well-known; long-standing; short-lived; market-driven; state-owned; family-run; cross-border; far-reaching;
        fragmentary; systematic; confidential; official; unofficial; temporary; permanent; seasonal; annual; monthly;
        substantial; significant; negligible; reliable; unreliable; profitable; unprofitable; municipal; imperial;
        royal; ecclesiastical; secular; commercial; agricultural; maritime; rural; urban; provincial; foreign;
        domestic; independent; reluctant; experienced; inexperienced; careful; careless; contradictory; consistent;
        specific; infrequent; difficult; efficient; flexible; fictitious; certified; confiscated; reflected; inflated
    """),
    "goods": _list("""
        herring; salt; rye; wheat; barley; flax; hemp; tallow; wax; honey; timber; pitch; tar; potash; iron; copper;
        lead; tin; silver; amber; furs; wool; linen; silk; velvet; saffron; pepper; ginger; cinnamon; alum; indigo;
        madder; wine; beer; vinegar; olive oil; figs; almonds; raisins; stockfish; whale oil; glass; paper; soap
    """),
    "verb": _list("""
        recorded; neglected; described; transported; financed; insured; confiscated; inspected; certified; exchanged;
        redistributed; reorganised; catalogued; transcribed; falsified; compared; questioned; defended; supervised;
        influenced; transformed; abandoned; replaced; accumulated; administered; advertised; anticipated; appropriated;
        calculated; circumvented; collected; commissioned; compensated; concentrated; consolidated; contradicted;
        controlled; coordinated; delivered; demonstrated; determined; diversified; documented; emphasised; encouraged;
        established; exaggerated; exported; facilitated; guaranteed; illustrated; imported; interpreted; investigated
    """),
    "pp": _list("""
        in the archives of {place}; at the customs house of {place}; before the winter of {old_year}; after the flood
        of {old_year}; between {place} and {place}; along the rivers of the interior; in times of war and peace; for
        more than {count} years; by order of the city council; without the consent of the guild; at the expense of
        the crown; under the supervision of {count} notaries; in the absence of written law; on behalf of their
        partners in {place}; with remarkable consistency; across the whole of the Baltic; within a single generation;
        during the long fifteenth century; at the Michaelmas fair of {place}; in the harbour district of {place}
    """),
    "adv": _list("""
        usually; seldom; gradually; deliberately; presumably; repeatedly; officially; effectively; considerably;
        subsequently; simultaneously; occasionally; invariably; particularly; comparatively; unexpectedly
    """),
    "link": _list("""
        however; therefore; moreover; in contrast; by the same token; as a consequence; for this reason; nevertheless;
        in the first instance; on closer inspection; at first sight; to be sure; above all; as we shall see
    """),
    "cite": _list("""
        ({name}, {year}); ({name} & {name}, {year}); ({name} et al., {year}, p. {page});
        (see {name}, {year}, pp. {pages}); ({name}, {year}a)
    """),
    "heading": _list("""
        Prices of {goods} in {place}; The {nouns} of {place}; {nouns} and {nouns}; Trade in {goods} and {goods};
        A {adj} sample of {nouns}; From {place} to {place}; Who paid for the {goods}?; {adj} {nouns}
    """),
    "long_heading": _list("""
        How the {adj} {nouns} of {place} came to depend on {goods} and {goods} from {place};
        The {adj} {nouns} and what they tell us about the {nouns} of {place}
    """),
    "title": _list("""
        {goods} and {goods} in the {adj} Ledgers of {place}, {old_year} to 1900: Evidence from {count} Account Books;
        The {nouns} of {place}: Prices, Credit and the Trade in {goods} with {place}
    """),
    "given": _list("""
        Alice; Bernard; Catherine; Daniel; Eleanor; Frederick; Grace; Henrik; Isabel; Jonas; Katarina; Lucas; Miriam
    """),
    "affiliation": ("Department of Economic History, University of {place}",),
    "table": ("Table",),
    "figure": ("Figure",),
    "place_column": ("Place",),
    "axes": ("Year of the ledger", "Price index"),
    "caption": _list("""
        Average prices of {goods} and {goods} in {place}, in shillings for each barrel, after {name} ({year}).;
        Shipments of {goods} from {place} to {place} by decade, {adj} {nouns} excluded.;
        Number of {nouns} and {nouns} known from the {adj} {nouns} of {place}.
    """),
    "note": _list("""
        The {adj} {nouns} of {place} are kept apart and were not seen by {name} ({year}, p. {page}).;
        On the {nouns} of {place} see {name} ({year}), who {verb} {count} of them.;
        I owe this reading to {name}, who {verb} the {adj} {nouns} {pp}.
    """),
    "reference": _list("""
        {name}, A. ({year}). Of {goods} and {nouns}: The {adj} trade of {place}. Journal of Old Ledgers,
        {volume}(3), {pages}.;
        {name}, K., & {name}, M. ({year}). The {nouns} of {place}. {place}: Harbour Press.;
        {name}, P. ({year}). On {adj} {nouns} in {place}. In H. {name} (Ed.), Companion to {nouns} (pp.
        {pages}). {place}: Quay.
    """),
}

ENGLISH_SENTENCES = _list("""
    the {adj} {nouns} of {place} {verb} the {adj} {nouns} {pp}.;
    in {old_year}, {count} {nouns} {verb} {goods} worth {share} per cent of the {adj} {nouns} {cite}.;
    {link}, the {nouns} that {verb} the {goods} {adv} {verb} the {adj} {nouns} as well.;
    it was not until {old_year} that {adj} {nouns} {verb} the {goods} and the {goods} {pp}.;
    {name} ({year}) {verb} the {adj} {nouns} of {place} and found {count} {adj} {nouns} among them.;
    prices of {goods} rose by {share} per cent {pp}, whereas those of {goods} {adv} fell.;
    what the {nouns} {adv} {verb}, e.g. {goods}, {goods} and {goods}, the {adj} {nouns} {verb} {pp}.;
    “The {nouns},” as one of the {nouns} put it, “{verb} more {goods} than the {nouns} of {place} ever did.”;
    of the {count} {nouns} in our sample, {count} were {adj} and the rest {verb} {goods} {pp} {cite}.;
    neither the {adj} {nouns} nor the {adj} {nouns} {verb} {goods}, cf. {name} ({year}).;
    if the {nouns} had {verb} the {goods}, the {nouns} of {place} would {adv} have {verb} them too.;
    there is, {link}, little evidence that {nouns} {verb} {goods} before the {nouns} {verb} {goods}.;
    the correlation between {nouns} and {nouns} was {adj} (r = .{count}, p < .05) and {adv} disappeared {pp}.;
    when {adj} {nouns} {verb} the {nouns} of {place}, {adj} {nouns} {verb} {goods} instead.;
    this is the reason why the {nouns}, the {nouns} and even the {nouns} {verb} their {adj} {nouns} {pp}.;
    later editors, among them {name} and {name}, {verb} these {nouns} {adv} and {verb} the others {cite}.;
    a barrel of {goods} cost {count} shillings in {place}, a barrel of {goods}, {count} shillings in {place}.;
    two-thirds of the {goods} went to {place}, one-fifth to {place}, and the remainder was {verb} {pp}.;
    the office at {place} first {verb} the {adj} {nouns} and then, {pp}, {verb} the {nouns}.;
    {adj} {nouns} of this kind were {adv} {verb} by {nouns} whose {goods} came from {place}.;
    no fewer than {count} {adj} {nouns}, i.e. {share} per cent, {verb} {goods} {pp}.;
    we {adv} {verb} the {nouns} of {place} with those of {place} and {verb} the {adj} {nouns} {cite}.
""")

GERMAN = {
    "nouns": _list("""
        Kaufleute; Rechnungsbücher; Zollregister; Handelsgesellschaften; Schiffseigner; Stadträte; Handwerker;
        Gläubiger;
        Schuldner; Urkunden; Briefwechsel; Warenlieferungen; Preisreihen; Verträge; Vollmachten; Testamente;
        Erbschaften;
        Messen; Märkte; Lagerhäuser; Hafenanlagen; Fuhrleute; Müller; Bäcker; Brauer; Färber; Gerber; Weber; Bergleute;
        Salzsieder; Fischer; Lotsen; Notare; Schreiber; Chronisten; Pfarreien; Klöster; Spitäler; Werkstätten; Zünfte;
        Privilegien; Verordnungen; Abgaben; Steuern; Gebühren; Einkünfte; Ausgaben; Überschüsse; Missernten;
        Hungersnöte;
        Überschwemmungen; Belagerungen; Handelssperren; Siedlungen; Niederlassungen; Flussmündungen; Landstraßen;
        Gewichte; Münzen; Maße; Währungen; Wechselbriefe; Inventare; Gerichtsakten; Bittschriften; Zeugenaussagen
    """),
    "adj": _list("""
        frühen; späten; nördlichen; südlichen; wohlhabenden; bescheidenen; einflussreichen; bekannten; langjährigen;
        kurzlebigen; grenzüberschreitenden; bruchstückhaften; vertraulichen; amtlichen; vorübergehenden; jährlichen;
        erheblichen; zuverlässigen; unzuverlässigen; gewinnbringenden; städtischen; kaiserlichen; geistlichen;
        weltlichen; ländlichen; auswärtigen; einheimischen; selbstständigen; erfahrenen; sorgfältigen; nachlässigen;
        widersprüchlichen; auffälligen; gefälschten; beglaubigten; beschlagnahmten; hansisch-niederländischen
    """),
    "goods": _list("""
        Hering; Salz; Roggen; Weizen; Gerste; Flachs; Hanf; Talg; Wachs; Honig; Bauholz; Pech; Teer; Pottasche; Eisen;
        Kupfer; Blei; Zinn; Silber; Bernstein; Pelzwerk; Wolle; Leinwand; Seide; Safran; Pfeffer; Ingwer; Zimt; Alaun
    """),
    "verb": _list("""
        verzeichneten; vernachlässigten; beschrieben; beförderten; finanzierten; versicherten; beschlagnahmten; prüften;
        beglaubigten; tauschten; verteilten; ordneten; fälschten; verglichen; bezweifelten; verteidigten; überwachten;
        beeinflussten; veränderten; ersetzten; verwalteten; kündigten; berechneten; umgingen; sammelten; begünstigten
    """),
    "pp": _list("""
        in den Archiven von {place}; vor dem Winter des Jahres {old_year}; nach der Sturmflut von {old_year}; zwischen
        {place} und {place}; entlang der großen Flüsse; in Kriegs- und Friedenszeiten; über mehr als {count} Jahre;
        auf Befehl des Rates; ohne Zustimmung der Zunft; auf Kosten der Krone; unter Aufsicht von {count} Notaren;
        im Auftrag ihrer Teilhaber in {place}; mit bemerkenswerter Beständigkeit; im gesamten Ostseeraum; innerhalb
        einer einzigen Generation; während des langen fünfzehnten Jahrhunderts; auf der Herbstmesse von {place}
    """),
    "adv": _list("""
        meistens; selten; allmählich; absichtlich; vermutlich; wiederholt; offiziell; tatsächlich; erheblich;
        anschließend; gleichzeitig; gelegentlich; insbesondere; vergleichsweise; unerwartet; größtenteils
    """),
    "cite": _list("""
        ({name}, {year}); ({name} & {name}, {year}); ({name} et al., {year}, S. {page}); (vgl. {name}, {year},
        S. {pages})
    """),
    "heading": _list("""
        Die {nouns} von {place}; {nouns} und {nouns}; Handel mit {goods} und {goods}; Preise für {goods} in {place};
        Von {place} nach {place}; Was die {adj} {nouns} verschweigen
    """),
    "long_heading": _list("""
        Wie die {adj} {nouns} von {place} über {goods} und {goods} aus {place} verfügten
    """),
    "title": _list("""
        {goods} und {goods}: Die {adj} {nouns} von {place} zwischen {old_year} und 1900;
        Die {nouns} von {place} und der Handel mit {goods}
    """),
    "given": _list("Anna; Bernd; Christa; Dieter; Elke; Friedrich; Gudrun; Heinz; Ingrid; Jürgen; Käthe; Lothar"),
    "affiliation": ("Institut für Wirtschaftsgeschichte, Universität {place}",),
    "table": ("Tabelle",),
    "figure": ("Abbildung",),
    "place_column": ("Ort",),
    "axes": ("Jahr der Rechnung", "Preisindex"),
    "caption": _list("""
        Durchschnittliche Preise für {goods} und {goods} in {place}, nach {name} ({year}).;
        Lieferungen von {goods} aus {place} nach {place}, ohne die {adj} {nouns}.
    """),
    "note": _list("""
        Die {adj} {nouns} von {place} lagen {name} ({year}, S. {page}) nicht vor.;
        Zu den {nouns} von {place} siehe {name} ({year}), zu denen von {place} ebd., S. {page}.
    """),
    "reference": _list("""
        {name}, A. ({year}). {goods} und {nouns} in {place}. Zeitschrift für alte Rechnungen, {volume}(3), {pages}.;
        {name}, K. & {name}, M. ({year}). Die {nouns} von {place}. {place}: Hafenverlag.
    """),
}

GERMAN_SENTENCES = _list("""
    die {adj} {nouns} von {place} {verb} die {adj} {nouns} {pp}.;
    im Jahre {old_year} {verb} {count} {nouns} {goods} im Wert von {share} Prozent der {adj} {nouns} {cite}.;
    erst {pp} {verb} die {adj} {nouns} das, was die {nouns} von {place} {adv} {verb}.;
    {name} ({year}) hat gezeigt, dass die {nouns} {goods} und {goods} {adv} {verb}.;
    die Preise für {goods} stiegen {pp} um {share} Prozent, während die für {goods} {adv} sanken.;
    was die {nouns} {verb}, z. B. {goods}, {goods} und {goods}, {verb} die {adj} {nouns} {adv} auch.;
    „Die {nouns}“, so heißt es in einem Brief aus {place}, „{verb} mehr {goods} als die {nouns}.“;
    von den {count} {adj} {nouns} unserer Stichprobe {verb} nur {count} auch {goods} {cite}.;
    weder die {adj} {nouns} noch die {nouns} {verb} {goods}, vgl. {name} ({year}).;
    wenn die {nouns} von {place} {goods} {verb}, dann {verb} die {nouns} von {place} {adv} {goods}.;
    das ist der Grund, weshalb die {nouns}, die {nouns} und sogar die {nouns} ihr {goods} {pp} {verb}.;
    eine Tonne {goods} kostete in {place} {count} Schillinge, eine Tonne {goods} in {place} dagegen {count}.;
    spätere Herausgeber, darunter {name} und {name}, {verb} diese {nouns} {adv} {cite}.;
    zwei Drittel der Einfuhr- und Ausfuhrzölle {verb} die {nouns} {pp}, ein Fünftel die {nouns}.;
    nicht weniger als {count} {nouns}, d. h. {share} Prozent, {verb} {goods} {pp}.;
    die {adj} {nouns} dieser Art {verb} vor allem jene {nouns}, deren {goods} aus {place} kam.
""")
