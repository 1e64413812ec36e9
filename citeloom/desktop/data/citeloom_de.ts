<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>AccessChoice</name>
    <message>
        <source>&amp;All projects, including future ones</source>
        <translation>&amp;Alle Projekte, auch künftige</translation>
    </message>
    <message>
        <source>&amp;Only these projects</source>
        <translation>&amp;Nur diese Projekte</translation>
    </message>
    <message>
        <source>&amp;Read: search, read, cite, check quotations</source>
        <translation>&amp;Lesen: suchen, lesen, zitieren, Zitate prüfen</translation>
    </message>
    <message>
        <source>Find a project</source>
        <translation>Projekt suchen</translation>
    </message>
    <message>
        <source>Keep &amp;notes in your notebook</source>
        <translation>&amp;Notizen in Ihrem Notizbuch führen</translation>
    </message>
    <message>
        <source>Projects that it may see</source>
        <translation>Projekte, die er sehen darf</translation>
    </message>
    <message>
        <source>Read and &amp;write: also add and remove papers</source>
        <translation>Lesen und &amp;schreiben: auch Arbeiten hinzufügen und entfernen</translation>
    </message>
    <message>
        <source>There is no project yet: create one under Projects.</source>
        <translation>Es gibt noch kein Projekt: Legen Sie unter Projekte eines an.</translation>
    </message>
    <message>
        <source>What may it do?</source>
        <translation>Was darf er tun?</translation>
    </message>
    <message>
        <source>Which projects may it see?</source>
        <translation>Welche Projekte darf er sehen?</translation>
    </message>
</context>
<context>
    <name>AccessLogTab</name>
    <message>
        <source>&amp;Editor:</source>
        <translation>&amp;Editor:</translation>
    </message>
    <message>
        <source>&amp;Project:</source>
        <translation>&amp;Projekt:</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>All editors</source>
        <translation>Alle Editoren</translation>
    </message>
    <message>
        <source>All projects</source>
        <translation>Alle Projekte</translation>
    </message>
    <message>
        <source>C&amp;lear …</source>
        <translation>&amp;Leeren&#xa0;…</translation>
    </message>
    <message>
        <source>Choose another project or another editor.</source>
        <translation>Wählen Sie ein anderes Projekt oder einen anderen Editor.</translation>
    </message>
    <message>
        <source>CiteLoom activity.csv</source>
        <translation>CiteLoom-Aktivität.csv</translation>
    </message>
    <message>
        <source>Clear the log</source>
        <translation>Protokoll leeren</translation>
    </message>
    <message>
        <source>Delete the log of all projects? This cannot be undone.</source>
        <translation>Das Protokoll aller Projekte löschen? Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>E&amp;xport as CSV …</source>
        <translation>Als CSV e&amp;xportieren&#xa0;…</translation>
    </message>
    <message>
        <source>Export as CSV</source>
        <translation>Als CSV exportieren</translation>
    </message>
    <message>
        <source>Exported {count} entries to {file}.</source>
        <translation>Exportierte Einträge: {count}, nach {file}.</translation>
    </message>
    <message>
        <source>Exporting: {count} entries so far …</source>
        <translation>Export läuft, Einträge bisher: {count}&#xa0;…</translation>
    </message>
    <message>
        <source>No matching questions</source>
        <translation>Keine passenden Fragen</translation>
    </message>
    <message>
        <source>Nothing has been asked yet</source>
        <translation>Es wurde noch nichts gefragt</translation>
    </message>
    <message>
        <source>Open &amp;Settings</source>
        <translation>Einstellungen ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Show only this editor</source>
        <translation>Nur diesen Editor zeigen</translation>
    </message>
    <message>
        <source>Show only this project</source>
        <translation>Nur dieses Projekt zeigen</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>Tabelle (*.csv)</translation>
    </message>
    <message>
        <source>The access log is switched off in the settings.</source>
        <translation>Das Protokoll ist in den Einstellungen ausgeschaltet.</translation>
    </message>
    <message>
        <source>The export was stopped; nothing was written.</source>
        <translation>Der Export wurde angehalten; es wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>The log was cleared: {count} entries.</source>
        <translation>Das Protokoll wurde geleert; gelöschte Einträge: {count}.</translation>
    </message>
    <message>
        <source>What editors asked, newest first</source>
        <translation>Was Editoren gefragt haben, Neuestes zuerst</translation>
    </message>
    <message>
        <source>What your editors ask, and which passages they get, is listed here.</source>
        <translation>Was Ihre Editoren fragen und welche Textstellen sie bekommen, steht hier.</translation>
    </message>
    <message>
        <source>Writing the file …</source>
        <translation>Die Datei wird geschrieben&#xa0;…</translation>
    </message>
</context>
<context>
    <name>Activity</name>
    <message>
        <source>Add papers</source>
        <translation>Arbeiten hinzufügen</translation>
    </message>
    <message>
        <source>All its sources</source>
        <translation>Alle seine Quellen</translation>
    </message>
    <message>
        <source>Answered</source>
        <translation>Beantwortet</translation>
    </message>
    <message>
        <source>Ask for help</source>
        <translation>Um Hilfe bitten</translation>
    </message>
    <message>
        <source>Check a quotation</source>
        <translation>Ein Zitat prüfen</translation>
    </message>
    <message>
        <source>Check citations</source>
        <translation>Belege prüfen</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Done, needs attention</source>
        <translation>Fertig, braucht Ihre Entscheidung</translation>
    </message>
    <message>
        <source>Done, with failures</source>
        <translation>Fertig, mit Fehlern</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Format citations</source>
        <translation>Belege formatieren</translation>
    </message>
    <message>
        <source>Inspect a project</source>
        <translation>Ein Projekt ansehen</translation>
    </message>
    <message>
        <source>Invalid request</source>
        <translation>Ungültige Anfrage</translation>
    </message>
    <message>
        <source>List papers</source>
        <translation>Arbeiten auflisten</translation>
    </message>
    <message>
        <source>List projects</source>
        <translation>Projekte auflisten</translation>
    </message>
    <message>
        <source>No such project</source>
        <translation>Kein solches Projekt</translation>
    </message>
    <message>
        <source>Not allowed</source>
        <translation>Nicht erlaubt</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Nicht gefunden</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>Read a paper</source>
        <translation>Eine Arbeit lesen</translation>
    </message>
    <message>
        <source>Read a passage</source>
        <translation>Eine Textstelle lesen</translation>
    </message>
    <message>
        <source>Read and write</source>
        <translation>Lesen und schreiben</translation>
    </message>
    <message>
        <source>Remove a paper</source>
        <translation>Eine Arbeit entfernen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>Search by meaning</source>
        <translation>Suche nach Bedeutung</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Store passages</source>
        <translation>Textstellen ablegen</translation>
    </message>
    <message>
        <source>Timed out</source>
        <translation>Zeit überschritten</translation>
    </message>
    <message>
        <source>{editor} ({name})</source>
        <translation>{editor} ({name})</translation>
    </message>
</context>
<context>
    <name>ActivityPage</name>
    <message>
        <source>Activity</source>
        <translation>Aktivität</translation>
    </message>
    <message>
        <source>Editors</source>
        <translation>Editoren</translation>
    </message>
    <message>
        <source>Imports</source>
        <translation>Importe</translation>
    </message>
    <message>
        <source>Questions</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>What to show</source>
        <translation>Was gezeigt wird</translation>
    </message>
    <message>
        <source>{part} ({count})</source>
        <translation>{part} ({count})</translation>
    </message>
</context>
<context>
    <name>AddZoteroDialog</name>
    <message>
        <source>&amp;Read these</source>
        <translation>Diese &amp;einlesen</translation>
    </message>
    <message>
        <source>Everything ticked is read, including what you add to it later.</source>
        <translation>Alles Angekreuzte wird eingelesen, auch was Sie später hinzufügen.</translation>
    </message>
    <message>
        <source>Read more of Zotero</source>
        <translation>Mehr aus Zotero einlesen</translation>
    </message>
</context>
<context>
    <name>App</name>
    <message>
        <source>Editors are connected. Their next question starts the engine again, without the app.</source>
        <translation>Editoren sind verbunden. Ihre nächste Frage startet den Dienst wieder, ohne die App.</translation>
    </message>
    <message>
        <source>Papers are being read. Reading continues when CiteLoom starts again.</source>
        <translation>Arbeiten werden gerade eingelesen. Das geht weiter, wenn CiteLoom wieder startet.</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Quit CiteLoom?</source>
        <translation>CiteLoom beenden?</translation>
    </message>
</context>
<context>
    <name>Backups</name>
    <message>
        <source>&amp;Back up…</source>
        <translation>&amp;Sichern&#xa0;…</translation>
    </message>
    <message>
        <source>&amp;Restore…</source>
        <translation>&amp;Wiederherstellen&#xa0;…</translation>
    </message>
    <message>
        <source>Back up to a file</source>
        <translation>In eine Datei sichern</translation>
    </message>
    <message>
        <source>Backup</source>
        <translation>Sicherung</translation>
    </message>
    <message>
        <source>Backups (*.zip)</source>
        <translation>Sicherungen (*.zip)</translation>
    </message>
    <message>
        <source>Editors reconnect automatically.</source>
        <translation>Editoren verbinden sich von selbst neu.</translation>
    </message>
    <message>
        <source>In the backup:</source>
        <translation>In der Sicherung:</translation>
    </message>
    <message>
        <source>Indexes from a Qdrant server are restored on this computer.</source>
        <translation>Indexe von einem Qdrant-Server werden auf diesem Computer wiederhergestellt.</translation>
    </message>
    <message>
        <source>It replaces everything in CiteLoom: {count} projects and the settings. These are not deleted, but moved to a folder next to the data folder.</source>
        <translation>Sie ersetzt alles in CiteLoom: die Einstellungen und alle Projekte (Anzahl: {count}). Diese werden nicht gelöscht, sondern in einen Ordner neben dem Datenordner verschoben.</translation>
    </message>
    <message>
        <source>Its projects read places that no project on this computer reads yet. Are they yours?</source>
        <translation>Ihre Projekte lesen Orte, die auf diesem Computer noch kein Projekt liest. Sind das Ihre?</translation>
    </message>
    <message>
        <source>New sources:</source>
        <translation>Neue Quellen:</translation>
    </message>
    <message>
        <source>On this computer:</source>
        <translation>Auf diesem Computer:</translation>
    </message>
    <message>
        <source>One file with your projects, their indexes and the settings, which can be restored on this or another computer. It does not contain the files of your papers, converted documents or keys.</source>
        <translation>Eine Datei mit Ihren Projekten, deren Indexen und den Einstellungen, die sich auf diesem oder einem anderen Computer wiederherstellen lässt. Die Dateien Ihrer Arbeiten, umgewandelte Dokumente und Schlüssel enthält sie nicht.</translation>
    </message>
    <message>
        <source>Open the &amp;folder</source>
        <translation>&amp;Ordner öffnen</translation>
    </message>
    <message>
        <source>Restore a backup</source>
        <translation>Eine Sicherung wiederherstellen</translation>
    </message>
    <message>
        <source>Restore it</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Restore {file}?</source>
        <translation>{file} wiederherstellen?</translation>
    </message>
    <message>
        <source>Restored: {count} projects with {passages} passages.</source>
        <translation>Wiederhergestellt. Projekte: {count}, Textstellen: {passages}.</translation>
    </message>
    <message>
        <source>Stopped: no backup was made.</source>
        <translation>Angehalten: Es wurde keine Sicherung gemacht.</translation>
    </message>
    <message>
        <source>The backup is being unpacked and checked</source>
        <translation>Die Sicherung wird entpackt und geprüft</translation>
    </message>
    <message>
        <source>The previous data is in {folder}</source>
        <translation>Die bisherigen Daten sind in {folder}</translation>
    </message>
    <message>
        <source>These privacy, Zotero and network settings are not changed: {names}.</source>
        <translation>Diese Einstellungen zu Datenschutz, Zotero und Netzwerk werden nicht geändert: {names}.</translation>
    </message>
    <message>
        <source>This backup of {day} contains {count} projects with {passages} passages.</source>
        <translation>Diese Sicherung vom {day} enthält Projekte: {count}, Textstellen: {passages}.</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>und {count} weitere</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close this message</source>
        <translation>Diese Meldung schließen</translation>
    </message>
    <message>
        <source>What to do about it</source>
        <translation>Was dagegen zu tun ist</translation>
    </message>
</context>
<context>
    <name>ChoiceStep</name>
    <message>
        <source>&amp;Remove it</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>A folder with papers</source>
        <translation>Ein Ordner mit Arbeiten</translation>
    </message>
    <message>
        <source>Add a &amp;folder…</source>
        <translation>&amp;Ordner hinzufügen&#xa0;…</translation>
    </message>
    <message>
        <source>An editor sees what you choose here, and nothing else. You can change it later.</source>
        <translation>Ein Editor sieht, was Sie hier auswählen, und sonst nichts. Sie können es später ändern.</translation>
    </message>
    <message>
        <source>Folders to read</source>
        <translation>Ordner, die eingelesen werden</translation>
    </message>
    <message>
        <source>The &amp;sample library (ten short papers to try things with)</source>
        <translation>Die Beispielbib&amp;liothek (zehn kurze Arbeiten zum Ausprobieren)</translation>
    </message>
    <message>
        <source>What should the project read?</source>
        <translation>Was soll das Projekt einlesen?</translation>
    </message>
</context>
<context>
    <name>Clients</name>
    <message>
        <source>Choose agent mode to use its tools.</source>
        <translation>Wählen Sie den Agentenmodus; dort sind die Werkzeuge.</translation>
    </message>
    <message>
        <source>It is available at once, in the Agent Panel.</source>
        <translation>Es ist sofort verfügbar, im Agent Panel.</translation>
    </message>
    <message>
        <source>It is available at once, under MCP Servers.</source>
        <translation>Es ist sofort verfügbar, unter „MCP Servers“.</translation>
    </message>
    <message>
        <source>It is available in the next chat.</source>
        <translation>Es ist im nächsten Chat verfügbar.</translation>
    </message>
    <message>
        <source>It is available in the next session.</source>
        <translation>Es ist in der nächsten Sitzung verfügbar.</translation>
    </message>
    <message>
        <source>Press Refresh in the MCP settings of Cascade.</source>
        <translation>Drücken Sie „Refresh“ in den MCP-Einstellungen von Cascade.</translation>
    </message>
    <message>
        <source>Quit it and start it again.</source>
        <translation>Beenden Sie das Programm und starten Sie es wieder.</translation>
    </message>
    <message>
        <source>Reload its window (Developer: Reload Window), or restart it.</source>
        <translation>Laden Sie das Fenster neu („Developer: Reload Window“) oder starten Sie das Programm neu.</translation>
    </message>
    <message>
        <source>Switch it on under Program, in a chat.</source>
        <translation>Schalten Sie es in einem Chat unter „Program“ ein.</translation>
    </message>
</context>
<context>
    <name>Connect</name>
    <message>
        <source>Connected now</source>
        <translation>Jetzt verbunden</translation>
    </message>
    <message>
        <source>Found, not connected</source>
        <translation>Nicht verbunden</translation>
    </message>
    <message>
        <source>Its file has a problem</source>
        <translation>Seine Datei hat ein Problem</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Nicht gefunden</translation>
    </message>
    <message>
        <source>Set up for {projects}</source>
        <translation>Eingerichtet für {projects}</translation>
    </message>
    <message>
        <source>all projects</source>
        <translation>alle Projekte</translation>
    </message>
</context>
<context>
    <name>ConnectPage</name>
    <message>
        <source>CiteLoom adds one entry to the editor’s own settings, and keeps a copy of the previous file.</source>
        <translation>CiteLoom fügt den Einstellungen des Editors einen Eintrag hinzu und bewahrt eine Kopie der vorherigen Datei auf.</translation>
    </message>
    <message>
        <source>CiteLoom was removed from {editor}.</source>
        <translation>CiteLoom wurde aus {editor} entfernt.</translation>
    </message>
    <message>
        <source>Connect an editor</source>
        <translation>Editor verbinden</translation>
    </message>
    <message>
        <source>Launching CiteLoom as {editor} does …</source>
        <translation>CiteLoom wird gestartet, wie {editor} es tut&#xa0;…</translation>
    </message>
    <message>
        <source>Nothing will change in the file.</source>
        <translation>In der Datei wird sich nichts ändern.</translation>
    </message>
    <message>
        <source>Open the &amp;file</source>
        <translation>Datei ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Preparing the preview …</source>
        <translation>Die Vorschau wird vorbereitet&#xa0;…</translation>
    </message>
    <message>
        <source>Removing the entry …</source>
        <translation>Der Eintrag wird entfernt&#xa0;…</translation>
    </message>
    <message>
        <source>Restoring the file …</source>
        <translation>Die Datei wird wiederhergestellt&#xa0;…</translation>
    </message>
    <message>
        <source>The entry already exists.</source>
        <translation>Der Eintrag ist schon vorhanden.</translation>
    </message>
    <message>
        <source>The entry works: CiteLoom answered after {seconds} s with {count} tools.</source>
        <translation>Der Eintrag funktioniert: CiteLoom hat nach {seconds}&#xa0;s geantwortet (Werkzeuge: {count}).</translation>
    </message>
    <message>
        <source>The file of {editor} was restored.</source>
        <translation>Die Datei von {editor} wurde wiederhergestellt.</translation>
    </message>
    <message>
        <source>This was changed in the file; the previous version is next to it as {backup}:</source>
        <translation>Das wurde in der Datei geändert; die vorherige Fassung liegt daneben als {backup}:</translation>
    </message>
    <message>
        <source>This was written:</source>
        <translation>Das wurde geschrieben:</translation>
    </message>
    <message>
        <source>This will change in the file:</source>
        <translation>Das wird sich in der Datei ändern:</translation>
    </message>
    <message>
        <source>What {editor} can do with it:</source>
        <translation>Was {editor} damit tun kann:</translation>
    </message>
    <message>
        <source>Writing the entry …</source>
        <translation>Der Eintrag wird geschrieben&#xa0;…</translation>
    </message>
    <message>
        <source>{editor} cannot reach CiteLoom this way. {reason} Press “Connect again”, then test.</source>
        <translation>{editor} erreicht CiteLoom so nicht. {reason} Drücken Sie „Neu verbinden“ und prüfen Sie dann.</translation>
    </message>
    <message>
        <source>{editor} is connected.</source>
        <translation>{editor} ist verbunden.</translation>
    </message>
    <message>
        <source>{reason} “Remove” deletes only CiteLoom’s entry and leaves the rest unchanged.</source>
        <translation>{reason} „Entfernen“ löscht nur CiteLooms Eintrag und lässt den Rest unverändert.</translation>
    </message>
    <message>
        <source>{result} Next, in {editor}: {step}</source>
        <translation>{result} Der nächste Schritt in {editor}: {step}</translation>
    </message>
</context>
<context>
    <name>Coverage</name>
    <message>
        <source>{count} by words only so far</source>
        <translation>{count} vorerst nur nach Wörtern</translation>
    </message>
    <message>
        <source>{count} could not be read</source>
        <translation>{count} nicht lesbar</translation>
    </message>
    <message>
        <source>{count} still to be read</source>
        <translation>{count} noch einzulesen</translation>
    </message>
    <message>
        <source>{count} without a file</source>
        <translation>{count} ohne Datei</translation>
    </message>
    <message>
        <source>{searchable} of {documents} papers searchable</source>
        <translation>{searchable} von {documents} Arbeiten durchsuchbar</translation>
    </message>
</context>
<context>
    <name>DataSection</name>
    <message>
        <source>&amp;Open the data folder</source>
        <translation>&amp;Datenordner öffnen</translation>
    </message>
    <message>
        <source>&amp;Stop reading when free disk space is below</source>
        <translation>&amp;Nicht weiter einlesen bei weniger freiem Platz als</translation>
    </message>
    <message>
        <source>Conversions and copies that no paper of any project needs</source>
        <translation>Umwandlungen und Kopien, die keine Arbeit eines Projekts braucht</translation>
    </message>
    <message>
        <source>Converted papers</source>
        <translation>Umgewandelte Arbeiten</translation>
    </message>
    <message>
        <source>Copies from Zotero</source>
        <translation>Kopien aus Zotero</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Delete &amp;all conversions…</source>
        <translation>Um&amp;wandlungen löschen&#xa0;…</translation>
    </message>
    <message>
        <source>Delete &amp;left-overs</source>
        <translation>&amp;Reste löschen</translation>
    </message>
    <message>
        <source>Delete &amp;left-overs ({size})</source>
        <translation>&amp;Reste löschen ({size})</translation>
    </message>
    <message>
        <source>Delete all conversions?</source>
        <translation>Alle Umwandlungen löschen?</translation>
    </message>
    <message>
        <source>Delete them</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Disk usage</source>
        <translation>Belegter Speicherplatz</translation>
    </message>
    <message>
        <source>Downloaded models</source>
        <translation>Heruntergeladene Modelle</translation>
    </message>
    <message>
        <source>Index of the passages</source>
        <translation>Index der Textstellen</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Protokolle</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>Papers from the web</source>
        <translation>Arbeiten aus dem Web</translation>
    </message>
    <message>
        <source>Projects, papers and log</source>
        <translation>Projekte, Arbeiten und Protokoll</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Your papers and their index are kept. When an index is rebuilt, or another project reads the same papers, they have to be read from their files again, which takes much longer.</source>
        <translation>Ihre Arbeiten und ihr Index bleiben erhalten. Wenn ein Index neu aufgebaut wird oder ein anderes Projekt dieselben Arbeiten einliest, müssen ihre Dateien erneut umgewandelt werden, was viel länger dauert.</translation>
    </message>
    <message>
        <source>Your projects and their index are in {folder}</source>
        <translation>Ihre Projekte und deren Index liegen in {folder}</translation>
    </message>
    <message>
        <source>{count} conversions were deleted; that freed {size}.</source>
        <translation>Gelöschte Umwandlungen: {count}; das hat {size} frei gemacht.</translation>
    </message>
    <message>
        <source>{number} MB</source>
        <translation>{number}&#xa0;MB</translation>
    </message>
    <message>
        <source>{total} in total; the disk has {free} left.</source>
        <translation>Insgesamt {total}; auf der Festplatte sind noch {free} frei.</translation>
    </message>
</context>
<context>
    <name>DocumentActions</name>
    <message>
        <source>&amp;Copy citekey</source>
        <translation>&amp;Zitierschlüssel kopieren</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>Öf&amp;fnen</translation>
    </message>
    <message>
        <source>&amp;Open in Zotero</source>
        <translation>In Zotero öf&amp;fnen</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>&amp;Remove…</source>
        <translation>Entf&amp;ernen&#xa0;…</translation>
    </message>
    <message>
        <source>&amp;Try again</source>
        <translation>Er&amp;neut versuchen</translation>
    </message>
    <message>
        <source>Co&amp;nfirm: it is this work</source>
        <translation>B&amp;estätigen: Es ist diese Arbeit</translation>
    </message>
    <message>
        <source>Convert and recognise them again, as if they had never been read</source>
        <translation>Erneut umwandeln und erkennen, als wären sie nie eingelesen worden</translation>
    </message>
    <message>
        <source>It does not count as @{key}; you will not be asked again.</source>
        <translation>Sie zählt nicht als @{key}; Sie werden nicht noch einmal gefragt.</translation>
    </message>
    <message>
        <source>It now counts as @{key}.</source>
        <translation>Sie zählt jetzt als @{key}.</translation>
    </message>
    <message>
        <source>Read again from &amp;scratch</source>
        <translation>Von Grund auf ne&amp;u einlesen</translation>
    </message>
    <message>
        <source>Read them again</source>
        <translation>Noch einmal einlesen</translation>
    </message>
    <message>
        <source>Ref&amp;use: it is another</source>
        <translation>Ab&amp;lehnen: Es ist eine andere</translation>
    </message>
    <message>
        <source>Remove papers</source>
        <translation>Arbeiten entfernen</translation>
    </message>
    <message>
        <source>Remove {count} papers from the project “{project}”? Your files and Zotero stay as they are. A paper that is still in a folder or collection that the project reads comes back with the next sync.</source>
        <translation>Ausgewählte Arbeiten ({count}) aus dem Projekt „{project}“ entfernen? Ihre Dateien und Zotero bleiben, wie sie sind. Eine Arbeit, die noch in einem Ordner oder einer Sammlung des Projekts liegt, kommt mit dem nächsten Abgleich zurück.</translation>
    </message>
    <message>
        <source>Show in &amp;folder</source>
        <translation>Im &amp;Ordner zeigen</translation>
    </message>
    <message>
        <source>{count} citekeys were copied.</source>
        <translation>Kopierte Zitierschlüssel: {count}.</translation>
    </message>
    <message>
        <source>{count} papers are being read again.</source>
        <translation>Arbeiten, die erneut eingelesen werden: {count}.</translation>
    </message>
    <message>
        <source>{count} papers were removed.</source>
        <translation>Entfernte Arbeiten: {count}.</translation>
    </message>
</context>
<context>
    <name>DocumentDetails</name>
    <message>
        <source>About this paper</source>
        <translation>Zu dieser Arbeit</translation>
    </message>
    <message>
        <source>Citekey</source>
        <translation>Zitierschlüssel (Citekey)</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Hinweise</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>Eintrag</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>{status}, {count} passages</source>
        <translation>{status}, Textstellen: {count}</translation>
    </message>
</context>
<context>
    <name>DocumentsModel</name>
    <message>
        <source>Citekey</source>
        <translation>Zitierschlüssel</translation>
    </message>
    <message>
        <source>How many of its pages were recognised by OCR</source>
        <translation>Wie viele Seiten durch Texterkennung gelesen wurden</translation>
    </message>
    <message>
        <source>How many of the words in the file are in its passages</source>
        <translation>Wie viele Wörter der Datei in den Textstellen stehen</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>OCR</source>
        <translation>OCR</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>Word coverage</source>
        <translation>Wortabdeckung</translation>
    </message>
</context>
<context>
    <name>DocumentsTable</name>
    <message>
        <source>All papers ({count})</source>
        <translation>Alle Arbeiten ({count})</translation>
    </message>
    <message>
        <source>Find by title, author, citekey</source>
        <translation>Nach Titel, Autor, Zitierschlüssel suchen</translation>
    </message>
    <message>
        <source>Find papers</source>
        <translation>Arbeiten suchen</translation>
    </message>
    <message>
        <source>No paper matches</source>
        <translation>Keine Arbeit passt</translation>
    </message>
    <message>
        <source>No paper of this project has these words and this status.</source>
        <translation>Keine Arbeit dieses Projekts hat diese Wörter und diesen Status.</translation>
    </message>
    <message>
        <source>Papers</source>
        <translation>Arbeiten</translation>
    </message>
    <message>
        <source>Show &amp;all papers</source>
        <translation>Alle A&amp;rbeiten zeigen</translation>
    </message>
    <message>
        <source>What to do with the selected papers</source>
        <translation>Was mit den ausgewählten Arbeiten geschehen soll</translation>
    </message>
    <message>
        <source>Which papers are shown</source>
        <translation>Welche Arbeiten gezeigt werden</translation>
    </message>
    <message>
        <source>{status} ({count})</source>
        <translation>{status} ({count})</translation>
    </message>
</context>
<context>
    <name>EditorList</name>
    <message>
        <source>Editors</source>
        <translation>Editoren</translation>
    </message>
</context>
<context>
    <name>EditorPanel</name>
    <message>
        <source>&amp;Connect</source>
        <translation>&amp;Verbinden</translation>
    </message>
    <message>
        <source>&amp;Connect again</source>
        <translation>Erneut &amp;verbinden</translation>
    </message>
    <message>
        <source>&amp;Test</source>
        <translation>&amp;Testen</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>Choose at least one project first.</source>
        <translation>Wählen Sie zuerst mindestens ein Projekt.</translation>
    </message>
    <message>
        <source>It is connected right now, through an entry in another file.</source>
        <translation>Er ist gerade verbunden, durch einen Eintrag in einer anderen Datei.</translation>
    </message>
    <message>
        <source>It is installed on this computer, but not connected yet.</source>
        <translation>Er ist auf diesem Computer installiert, aber noch nicht verbunden.</translation>
    </message>
    <message>
        <source>It is set up to see {projects}.</source>
        <translation>Er ist eingerichtet und sieht: {projects}.</translation>
    </message>
    <message>
        <source>It was not found on this computer. You can set it up before you install it.</source>
        <translation>Er wurde auf diesem Computer nicht gefunden. Sie können ihn einrichten, bevor Sie ihn installieren.</translation>
    </message>
    <message>
        <source>Launch the entry as the editor does, and check that CiteLoom answers</source>
        <translation>Den Eintrag starten, wie der Editor es tut, und prüfen, ob CiteLoom antwortet</translation>
    </message>
    <message>
        <source>Open the &amp;file</source>
        <translation>Datei ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Re&amp;move</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>Remove CiteLoom’s entry from the file and leave the rest unchanged</source>
        <translation>CiteLooms Eintrag aus der Datei entfernen und den Rest unverändert lassen</translation>
    </message>
    <message>
        <source>Restore the file exactly as it was before the last change</source>
        <translation>Die Datei genau so wiederherstellen, wie sie vor der letzten Änderung war</translation>
    </message>
    <message>
        <source>Settings file: {file}</source>
        <translation>Einstellungsdatei: {file}</translation>
    </message>
    <message>
        <source>Show the &amp;entry to copy</source>
        <translation>Eintra&amp;g zum Kopieren zeigen</translation>
    </message>
    <message>
        <source>Show what will c&amp;hange</source>
        <translation>Änderungen &amp;zeigen</translation>
    </message>
    <message>
        <source>The preview or the result of the test</source>
        <translation>Die Vorschau oder das Ergebnis der Prüfung</translation>
    </message>
    <message>
        <source>{reason} CiteLoom does not change it: fix it and come back, or add the entry yourself.</source>
        <translation>{reason} CiteLoom ändert sie nicht: Beheben Sie das und kommen Sie zurück, oder tragen Sie den Eintrag selbst ein.</translation>
    </message>
    <message>
        <source>{setup} It is connected right now.</source>
        <translation>{setup} Er ist gerade verbunden.</translation>
    </message>
</context>
<context>
    <name>EditorsModel</name>
    <message>
        <source>Another editor</source>
        <translation>Ein anderer Editor</translation>
    </message>
    <message>
        <source>The entry to copy</source>
        <translation>Der Eintrag zum Kopieren</translation>
    </message>
    <message>
        <source>{editor}: {state}</source>
        <translation>{editor}: {state}</translation>
    </message>
</context>
<context>
    <name>EditorsTab</name>
    <message>
        <source>&amp;Connect an editor</source>
        <translation>Editor &amp;verbinden</translation>
    </message>
    <message>
        <source>&amp;Disconnect …</source>
        <translation>Verbindung &amp;trennen&#xa0;…</translation>
    </message>
    <message>
        <source>Access</source>
        <translation>Zugriff</translation>
    </message>
    <message>
        <source>All projects</source>
        <translation>Alle Projekte</translation>
    </message>
    <message>
        <source>An editor appears here as soon as it starts CiteLoom. Is yours set up?</source>
        <translation>Ein Editor erscheint hier, sobald er CiteLoom startet. Ist Ihrer schon eingerichtet?</translation>
    </message>
    <message>
        <source>Connected since</source>
        <translation>Verbunden seit</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>Trennen</translation>
    </message>
    <message>
        <source>Disconnect {editor}? It cannot ask anything more until you restart CiteLoom’s server in that editor, or the editor itself.</source>
        <translation>{editor} trennen? Der Editor kann nichts mehr fragen, bis Sie CiteLooms Server in ihm oder ihn selbst neu starten.</translation>
    </message>
    <message>
        <source>Editor</source>
        <translation>Editor</translation>
    </message>
    <message>
        <source>Editors see only the projects that you allow. Their questions are listed under Questions.</source>
        <translation>Editoren sehen nur die Projekte, die Sie erlauben. Ihre Fragen stehen unter „Fragen“.</translation>
    </message>
    <message>
        <source>Editors that are connected</source>
        <translation>Verbundene Editoren</translation>
    </message>
    <message>
        <source>Last question</source>
        <translation>Letzte Frage</translation>
    </message>
    <message>
        <source>No editor is connected</source>
        <translation>Kein Editor ist verbunden</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>Projekte</translation>
    </message>
    <message>
        <source>Questions</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>{what}, {when}</source>
        <translation>{what}, {when}</translation>
    </message>
</context>
<context>
    <name>EngineSnapshot</name>
    <message>
        <source>No project yet</source>
        <translation>Noch kein Projekt</translation>
    </message>
    <message>
        <source>Paused: {counts}</source>
        <translation>Pausiert: {counts}</translation>
    </message>
    <message>
        <source>Reading: {counts}</source>
        <translation>Wird eingelesen: {counts}</translation>
    </message>
    <message>
        <source>Starting …</source>
        <translation>Startet&#xa0;…</translation>
    </message>
    <message>
        <source>The engine has another version ({version})</source>
        <translation>Der Dienst hat eine andere Version ({version})</translation>
    </message>
    <message>
        <source>The settings file cannot be used</source>
        <translation>Die Einstellungsdatei kann nicht verwendet werden</translation>
    </message>
    <message>
        <source>Up to date: {counts}</source>
        <translation>Auf dem neuesten Stand: {counts}</translation>
    </message>
    <message>
        <source>Waiting: {counts}</source>
        <translation>Wartet: {counts}</translation>
    </message>
    <message>
        <source>{searchable} of {documents} papers searchable</source>
        <translation>{searchable} von {documents} Arbeiten durchsuchbar</translation>
    </message>
</context>
<context>
    <name>EngineStatus</name>
    <message>
        <source>The backup could not be made</source>
        <translation>Die Sicherung konnte nicht gemacht werden</translation>
    </message>
    <message>
        <source>The backup is complete</source>
        <translation>Die Sicherung ist fertig</translation>
    </message>
    <message>
        <source>The import of {project} failed</source>
        <translation>Der Import von {project} ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>The index of {project} could not be compacted</source>
        <translation>Der Index von {project} konnte nicht verdichtet werden</translation>
    </message>
    <message>
        <source>The index of {project} could not be moved</source>
        <translation>Der Index von {project} konnte nicht verschoben werden</translation>
    </message>
    <message>
        <source>{count} papers are no longer in their source; they are kept until you decide.</source>
        <translation>Arbeiten, die nicht mehr in ihrer Quelle sind: {count}; sie bleiben, bis Sie entscheiden.</translation>
    </message>
    <message>
        <source>{count} papers were read; {passages} passages can be cited.</source>
        <translation>Eingelesene Arbeiten: {count}; zitierbare Textstellen: {passages}.</translation>
    </message>
    <message>
        <source>{failed} could not be read, {processed} were read. The list of papers shows why.</source>
        <translation>Nicht lesbar: {failed}, eingelesen: {processed}. In der Liste der Arbeiten steht, warum.</translation>
    </message>
    <message>
        <source>{project} is up to date</source>
        <translation>{project} ist auf dem neuesten Stand</translation>
    </message>
    <message>
        <source>{project}: a sync needs your decision</source>
        <translation>{project}: Ein Abgleich braucht Ihre Entscheidung</translation>
    </message>
    <message>
        <source>{project}: an import waits</source>
        <translation>{project}: ein Import wartet</translation>
    </message>
    <message>
        <source>{project}: some papers could not be read</source>
        <translation>{project}: Einige Arbeiten konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>{project}: the index was compacted</source>
        <translation>{project}: Der Index wurde verdichtet</translation>
    </message>
    <message>
        <source>{project}: the index was moved</source>
        <translation>{project}: Der Index wurde verschoben</translation>
    </message>
</context>
<context>
    <name>EngineTasks</name>
    <message>
        <source>Restart it with the button at the top of the window.</source>
        <translation>Starten Sie ihn mit der Schaltfläche oben im Fenster neu.</translation>
    </message>
    <message>
        <source>The running engine belongs to another version of CiteLoom.</source>
        <translation>Der laufende Dienst gehört zu einer anderen Version von CiteLoom.</translation>
    </message>
    <message>
        <source>Try again in a moment.</source>
        <translation>Versuchen Sie es gleich noch einmal.</translation>
    </message>
</context>
<context>
    <name>EntryDetails</name>
    <message>
        <source>Loading the passages …</source>
        <translation>Die Textstellen werden geladen&#xa0;…</translation>
    </message>
    <message>
        <source>No passages were returned.</source>
        <translation>Es wurden keine Textstellen geliefert.</translation>
    </message>
    <message>
        <source>Select a question to see its passages.</source>
        <translation>Wählen Sie eine Frage, um ihre Textstellen zu sehen.</translation>
    </message>
    <message>
        <source>Stored by an agent.</source>
        <translation>Von einem Agenten gespeichert.</translation>
    </message>
    <message>
        <source>The selected question and its passages</source>
        <translation>Die ausgewählte Frage und ihre Textstellen</translation>
    </message>
    <message>
        <source>{about} ({code})</source>
        <translation>{about} ({code})</translation>
    </message>
    <message>
        <source>{number}. This passage is no longer in the library.</source>
        <translation>{number}. Diese Textstelle ist nicht mehr in der Bibliothek.</translation>
    </message>
    <message>
        <source>{number}. {cite}  {title}</source>
        <translation>{number}. {cite}  {title}</translation>
    </message>
    <message>
        <source>{when} · {editor} · {what} · {outcome} after {seconds} s</source>
        <translation>{when} · {editor} · {what} · {outcome} nach {seconds}&#xa0;s</translation>
    </message>
</context>
<context>
    <name>FilterPanel</name>
    <message>
        <source>&amp;Author</source>
        <translation>&amp;Autor</translation>
    </message>
    <message>
        <source>&amp;Tag</source>
        <translation>&amp;Schlagwort</translation>
    </message>
    <message>
        <source>&amp;Years</source>
        <translation>&amp;Jahre</translation>
    </message>
    <message>
        <source>Author</source>
        <translation>Autor</translation>
    </message>
    <message>
        <source>C&amp;lear filters</source>
        <translation>Filter &amp;leeren</translation>
    </message>
    <message>
        <source>C&amp;ollection</source>
        <translation>Sa&amp;mmlung</translation>
    </message>
    <message>
        <source>Collection</source>
        <translation>Sammlung</translation>
    </message>
    <message>
        <source>From year</source>
        <translation>Vom Jahr</translation>
    </message>
    <message>
        <source>S&amp;ection</source>
        <translation>A&amp;bschnitt</translation>
    </message>
    <message>
        <source>Section</source>
        <translation>Abschnitt</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Schlagwort</translation>
    </message>
    <message>
        <source>To year</source>
        <translation>Bis zum Jahr</translation>
    </message>
    <message>
        <source>any</source>
        <translation>beliebig</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>to</source>
        <translation>bis</translation>
    </message>
</context>
<context>
    <name>FirstRun</name>
    <message>
        <source>&amp;Back</source>
        <translation>&amp;Zurück</translation>
    </message>
    <message>
        <source>&amp;Done</source>
        <translation>&amp;Fertig</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>&amp;Weiter</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>&amp;Starten</translation>
    </message>
    <message>
        <source>Sk&amp;ip</source>
        <translation>Ü&amp;berspringen</translation>
    </message>
    <message>
        <source>Step {number} of {count}</source>
        <translation>Schritt {number} von {count}</translation>
    </message>
    <message>
        <source>Your first project</source>
        <translation>Ihr erstes Projekt</translation>
    </message>
</context>
<context>
    <name>FolderRow</name>
    <message>
        <source>Choose…</source>
        <translation>Auswählen&#xa0;…</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>leer</translation>
    </message>
</context>
<context>
    <name>GeneralSection</name>
    <message>
        <source>&amp;Start CiteLoom when I log in</source>
        <translation>CiteLoom beim An&amp;melden starten</translation>
    </message>
    <message>
        <source>CiteLoom waits in the tray and keeps your projects up to date.</source>
        <translation>CiteLoom wartet im Infobereich und hält Ihre Projekte aktuell.</translation>
    </message>
    <message>
        <source>Follow changes in &amp;Zotero</source>
        <translation>Änderungen in &amp;Zotero folgen</translation>
    </message>
    <message>
        <source>Follow changes in &amp;folders</source>
        <translation>Änderungen in &amp;Ordnern folgen</translation>
    </message>
    <message>
        <source>General</source>
        <translation>Allgemein</translation>
    </message>
    <message>
        <source>None: the editor has to name one</source>
        <translation>Keines: der Editor muss eines nennen</translation>
    </message>
    <message>
        <source>Project for editors that name &amp;none</source>
        <translation>Projekt für Editoren, die &amp;keines nennen</translation>
    </message>
    <message>
        <source>The folders and the reference files of your projects.</source>
        <translation>Die Ordner und die Literaturdateien Ihrer Projekte.</translation>
    </message>
    <message>
        <source>Used when an editor that may see several projects does not say which one it means.</source>
        <translation>Gilt, wenn ein Editor, der mehrere Projekte sehen darf, nicht sagt, welches er meint.</translation>
    </message>
    <message>
        <source>What you add, rename or remove there is updated after a moment, without a sync.</source>
        <translation>Was Sie dort hinzufügen, umbenennen oder entfernen, wird nach kurzer Zeit übernommen, ohne Abgleich.</translation>
    </message>
</context>
<context>
    <name>HitsModel</name>
    <message>
        <source>Agent</source>
        <translation>Agent</translation>
    </message>
    <message>
        <source>Annotation</source>
        <translation>Anmerkung</translation>
    </message>
    <message>
        <source>By words only</source>
        <translation>Nur nach Wörtern</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>OCR</source>
        <translation>OCR</translation>
    </message>
    <message>
        <source>PDF page {number}</source>
        <translation>PDF-Seite {number}</translation>
    </message>
    <message>
        <source>also in {cites}</source>
        <translation>auch in {cites}</translation>
    </message>
    <message>
        <source>page {label}</source>
        <translation>Seite {label}</translation>
    </message>
    <message>
        <source>pages {label}</source>
        <translation>Seiten {label}</translation>
    </message>
    <message>
        <source>{page} (PDF: {number})</source>
        <translation>{page} (PDF: {number})</translation>
    </message>
</context>
<context>
    <name>HitsView</name>
    <message>
        <source>Passages found</source>
        <translation>Gefundene Textstellen</translation>
    </message>
</context>
<context>
    <name>ImportStarter</name>
    <message>
        <source>{count} files or folders are being read.</source>
        <translation>Dateien oder Ordner, die eingelesen werden: {count}.</translation>
    </message>
    <message>
        <source>{count} more could not be imported.</source>
        <translation>Weitere, die nicht importiert werden konnten: {count}.</translation>
    </message>
    <message>
        <source>{file}: {problem}</source>
        <translation>{file}: {problem}</translation>
    </message>
</context>
<context>
    <name>ImportsTab</name>
    <message>
        <source>Could not be read: {count}</source>
        <translation>Nicht lesbar: {count}</translation>
    </message>
    <message>
        <source>Create a project from the collections or folders that you work with.</source>
        <translation>Legen Sie ein Projekt aus den Sammlungen oder Ordnern an, mit denen Sie arbeiten.</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>Go to the &amp;projects</source>
        <translation>Zu den P&amp;rojekten</translation>
    </message>
    <message>
        <source>In progress</source>
        <translation>In Arbeit</translation>
    </message>
    <message>
        <source>New: {count}</source>
        <translation>Neu: {count}</translation>
    </message>
    <message>
        <source>Not read</source>
        <translation>Nicht gelesen</translation>
    </message>
    <message>
        <source>Nothing has been imported yet</source>
        <translation>Es wurde noch nichts importiert</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Pages: {count}</source>
        <translation>Seiten: {count}</translation>
    </message>
    <message>
        <source>Papers that are no longer in their source and are kept until you decide: {count}.</source>
        <translation>Arbeiten, die nicht mehr in ihrer Quelle sind und bleiben, bis Sie entscheiden: {count}.</translation>
    </message>
    <message>
        <source>Passages written: {count}</source>
        <translation>Geschriebene Textstellen: {count}</translation>
    </message>
    <message>
        <source>Past imports</source>
        <translation>Frühere Importe</translation>
    </message>
    <message>
        <source>Past imports, newest first</source>
        <translation>Frühere Importe, neueste zuerst</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Gelesen</translation>
    </message>
    <message>
        <source>Read again: {count}</source>
        <translation>Erneut eingelesen: {count}</translation>
    </message>
    <message>
        <source>Record changed: {count}</source>
        <translation>Eintrag geändert: {count}</translation>
    </message>
    <message>
        <source>Removed: {count}</source>
        <translation>Entfernt: {count}</translation>
    </message>
    <message>
        <source>Result of the selected import</source>
        <translation>Ergebnis des ausgewählten Imports</translation>
    </message>
    <message>
        <source>Select an import to see its result.</source>
        <translation>Wählen Sie einen Import, um sein Ergebnis zu sehen.</translation>
    </message>
    <message>
        <source>Show &amp;older imports</source>
        <translation>Ältere &amp;Importe zeigen</translation>
    </message>
    <message>
        <source>Show the &amp;papers</source>
        <translation>Arbeiten &amp;zeigen</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Unchanged: {count}</source>
        <translation>Unverändert: {count}</translation>
    </message>
    <message>
        <source>Without a file: {count}</source>
        <translation>Ohne Datei: {count}</translation>
    </message>
</context>
<context>
    <name>IndexSection</name>
    <message>
        <source>&amp;Move…</source>
        <translation>&amp;Verschieben&#xa0;…</translation>
    </message>
    <message>
        <source>&amp;Replicas</source>
        <translation>&amp;Replikate</translation>
    </message>
    <message>
        <source>&amp;Timeout</source>
        <translation>&amp;Zeitgrenze</translation>
    </message>
    <message>
        <source>A server compacts its indexes by itself.</source>
        <translation>Ein Server verdichtet seine Indexe von selbst.</translation>
    </message>
    <message>
        <source>Choose a project.</source>
        <translation>Wählen Sie ein Projekt.</translation>
    </message>
    <message>
        <source>Com&amp;pact</source>
        <translation>Ver&amp;dichten</translation>
    </message>
    <message>
        <source>Copies of each part, so that a server may fail.</source>
        <translation>Kopien jedes Teils, damit ein Server ausfallen darf.</translation>
    </message>
    <message>
        <source>Delete it</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Delete the key?</source>
        <translation>Den Schlüssel löschen?</translation>
    </message>
    <message>
        <source>How long to wait for a server’s answer.</source>
        <translation>Wie lange auf die Antwort eines Servers gewartet wird.</translation>
    </message>
    <message>
        <source>How many parts an index is split into, across the servers of a cluster.</source>
        <translation>In wie viele Teile ein Index auf den Servern eines Clusters zerlegt wird.</translation>
    </message>
    <message>
        <source>Index</source>
        <translation>Index</translation>
    </message>
    <message>
        <source>Key of the Qdrant server</source>
        <translation>Schlüssel des Qdrant-Servers</translation>
    </message>
    <message>
        <source>Location of the indexes of new projects</source>
        <translation>Ort der Indexe neuer Projekte</translation>
    </message>
    <message>
        <source>Passages</source>
        <translation>Textstellen</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Projects and the locations of their indexes</source>
        <translation>Projekte und die Orte ihrer Indexe</translation>
    </message>
    <message>
        <source>Qdrant servers</source>
        <translation>Qdrant-Server</translation>
    </message>
    <message>
        <source>Rewrites the index without deleted passages: it becomes smaller and faster.</source>
        <translation>Schreibt den Index ohne gelöschte Textstellen neu: Er wird kleiner und schneller.</translation>
    </message>
    <message>
        <source>S&amp;hards</source>
        <translation>S&amp;hards</translation>
    </message>
    <message>
        <source>Searches use an index (Qdrant), on this computer in {folder}. A Qdrant server is for libraries that are too large for one computer, or for computers that share one.</source>
        <translation>Gesucht wird in einem Index (Qdrant), auf diesem Computer in {folder}. Ein Qdrant-Server ist für Bibliotheken, die für einen Computer zu groß sind, oder für Computer, die sich einen teilen.</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Stopped: the index of “{project}” was not changed.</source>
        <translation>Angehalten: Der Index von „{project}“ wurde nicht geändert.</translation>
    </message>
    <message>
        <source>The key is deleted from this system’s keyring. Projects whose index is on a server that requires it cannot be searched until you log in again.</source>
        <translation>Der Schlüssel wird aus dem Schlüsselbund dieses Systems gelöscht. Projekte, deren Index auf einem Server liegt, der ihn verlangt, lassen sich erst nach erneuter Anmeldung wieder durchsuchen.</translation>
    </message>
    <message>
        <source>There is no project yet.</source>
        <translation>Es gibt noch kein Projekt.</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>{number} s</source>
        <translation>{number}&#xa0;s</translation>
    </message>
</context>
<context>
    <name>IndexText</name>
    <message>
        <source>No key is in use. A test shows whether a server requires one.</source>
        <translation>Es ist kein Schlüssel in Gebrauch. Eine Prüfung zeigt, ob ein Server einen verlangt.</translation>
    </message>
    <message>
        <source>The connection is not encrypted; use https instead.</source>
        <translation>Die Verbindung ist nicht verschlüsselt; nutzen Sie stattdessen https.</translation>
    </message>
    <message>
        <source>The key comes from the environment variable CITELOOM_QDRANT_API_KEY.</source>
        <translation>Der Schlüssel kommt aus der Umgebungsvariablen CITELOOM_QDRANT_API_KEY.</translation>
    </message>
    <message>
        <source>The key is stored in this system’s keyring.</source>
        <translation>Der Schlüssel liegt im Schlüsselbund dieses Systems.</translation>
    </message>
    <message>
        <source>The texts of the passages, with titles and your notes, leave this computer: they will be on {host}, and whoever runs that server can read them.</source>
        <translation>Der Wortlaut der Textstellen, mit Titeln und Ihren Notizen, verlässt diesen Computer: Er wird auf {host} liegen, und wer diesen Server betreibt, kann ihn lesen.</translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation>auf diesem Computer</translation>
    </message>
    <message>
        <source>reachable (Qdrant {version})</source>
        <translation>erreichbar (Qdrant {version})</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>bereit</translation>
    </message>
</context>
<context>
    <name>JobCard</name>
    <message>
        <source>Progress: {job}</source>
        <translation>Fortschritt: {job}</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop: {job}</source>
        <translation>Anhalten: {job}</translation>
    </message>
    <message>
        <source>Stopping …</source>
        <translation>Wird angehalten&#xa0;…</translation>
    </message>
</context>
<context>
    <name>JobFrame</name>
    <message>
        <source>How much is done</source>
        <translation>Wie viel getan ist</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>&amp;Anhalten</translation>
    </message>
</context>
<context>
    <name>Jobs</name>
    <message>
        <source>Compacting the index of {project}</source>
        <translation>Der Index von {project} wird verdichtet</translation>
    </message>
    <message>
        <source>Comparing the copy with the original …</source>
        <translation>Die Kopie wird mit dem Original verglichen&#xa0;…</translation>
    </message>
    <message>
        <source>Copying passages: {done} of {total}</source>
        <translation>Textstellen werden kopiert: {done} von {total}</translation>
    </message>
    <message>
        <source>Downloading files …</source>
        <translation>Dateien werden heruntergeladen&#xa0;…</translation>
    </message>
    <message>
        <source>Downloading the model …</source>
        <translation>Das Modell wird heruntergeladen&#xa0;…</translation>
    </message>
    <message>
        <source>Finishing …</source>
        <translation>Wird abgeschlossen&#xa0;…</translation>
    </message>
    <message>
        <source>Its size went from {before} to {after}.</source>
        <translation>Größe vorher: {before}; jetzt: {after}.</translation>
    </message>
    <message>
        <source>Its {passages} passages are now in CiteLoom’s own folder on this computer.</source>
        <translation>Seine Textstellen ({passages}) liegen jetzt in CiteLooms eigenem Ordner auf diesem Computer.</translation>
    </message>
    <message>
        <source>Its {passages} passages are now on the Qdrant server at {place}.</source>
        <translation>Seine Textstellen ({passages}) liegen jetzt auf dem Qdrant-Server {place}.</translation>
    </message>
    <message>
        <source>Looking for changes …</source>
        <translation>Änderungen werden gesucht&#xa0;…</translation>
    </message>
    <message>
        <source>Making a backup</source>
        <translation>Eine Sicherung wird gemacht</translation>
    </message>
    <message>
        <source>Making papers searchable by meaning …</source>
        <translation>Arbeiten werden nach Bedeutung durchsuchbar&#xa0;…</translation>
    </message>
    <message>
        <source>Moving the index of {project}</source>
        <translation>Der Index von {project} wird verschoben</translation>
    </message>
    <message>
        <source>No backup is made.</source>
        <translation>Es wird keine Sicherung erstellt.</translation>
    </message>
    <message>
        <source>Optimising the index …</source>
        <translation>Der Index wird optimiert&#xa0;…</translation>
    </message>
    <message>
        <source>Optimising the new index …</source>
        <translation>Der neue Index wird optimiert&#xa0;…</translation>
    </message>
    <message>
        <source>Packing: {done} of {total} MB</source>
        <translation>Wird gepackt: {done} von {total}&#xa0;MB</translation>
    </message>
    <message>
        <source>Paused until you resume.</source>
        <translation>Pausiert, bis Sie fortsetzen.</translation>
    </message>
    <message>
        <source>Reading pages that need OCR or layout analysis …</source>
        <translation>Seiten mit Texterkennung oder Layoutanalyse werden eingelesen&#xa0;…</translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation>Wird eingelesen&#xa0;…</translation>
    </message>
    <message>
        <source>Rewriting passages: {done} of {total}</source>
        <translation>Textstellen werden neu geschrieben: {done} von {total}</translation>
    </message>
    <message>
        <source>The index is not changed.</source>
        <translation>Der Index wird nicht geändert.</translation>
    </message>
    <message>
        <source>The index stays where it is; the partial copy is deleted.</source>
        <translation>Der Index bleibt, wo er ist; die angefangene Kopie wird gelöscht.</translation>
    </message>
    <message>
        <source>Waiting for the server to come back …</source>
        <translation>Warten, bis der Server wieder da ist&#xa0;…</translation>
    </message>
    <message>
        <source>Waiting in the queue …</source>
        <translation>Wartet in der Warteschlange&#xa0;…</translation>
    </message>
    <message>
        <source>Waiting: {what}</source>
        <translation>Wartet: {what}</translation>
    </message>
    <message>
        <source>What has been read is kept; the next sync continues from there.</source>
        <translation>Was eingelesen ist, bleibt; der nächste Abgleich macht dort weiter.</translation>
    </message>
    <message>
        <source>about {count} h left</source>
        <translation>noch etwa {count}&#xa0;h</translation>
    </message>
    <message>
        <source>about {count} min left</source>
        <translation>noch etwa {count}&#xa0;min</translation>
    </message>
    <message>
        <source>about {count} s left</source>
        <translation>noch etwa {count}&#xa0;s</translation>
    </message>
    <message>
        <source>{count} by meaning</source>
        <translation>{count} nach Bedeutung</translation>
    </message>
    <message>
        <source>{count} could not be read</source>
        <translation>{count} nicht lesbar</translation>
    </message>
    <message>
        <source>{count} for layout analysis</source>
        <translation>{count} zur Layoutanalyse</translation>
    </message>
    <message>
        <source>{count} not readable</source>
        <translation>{count} nicht lesbar</translation>
    </message>
    <message>
        <source>{count} of {total} pages found by words</source>
        <translation>{count} von {total} Seiten nach Wörtern auffindbar</translation>
    </message>
    <message>
        <source>{count} waiting for OCR</source>
        <translation>{count} vor der Texterkennung</translation>
    </message>
    <message>
        <source>{file} contains {passages} passages ({size}).</source>
        <translation>{file} – Textstellen: {passages}, Größe: {size}.</translation>
    </message>
    <message>
        <source>{file}, page {page} of {pages}</source>
        <translation>{file}, Seite {page} von {pages}</translation>
    </message>
    <message>
        <source>{searchable} of {total} papers read</source>
        <translation>{searchable} von {total} Arbeiten eingelesen</translation>
    </message>
</context>
<context>
    <name>KeyLogin</name>
    <message>
        <source>Checking the key …</source>
        <translation>Der Schlüssel wird geprüft&#xa0;…</translation>
    </message>
    <message>
        <source>Log &amp;in</source>
        <translation>&amp;Anmelden</translation>
    </message>
    <message>
        <source>Log &amp;out…</source>
        <translation>A&amp;bmelden&#xa0;…</translation>
    </message>
</context>
<context>
    <name>LanguageStep</name>
    <message>
        <source>Languages of scanned pages</source>
        <translation>Sprachen gescannter Seiten</translation>
    </message>
    <message>
        <source>Saving the settings …</source>
        <translation>Die Einstellungen werden gespeichert&#xa0;…</translation>
    </message>
    <message>
        <source>Text on scanned pages is recognised by OCR. Where a record names a language, that one is used.</source>
        <translation>Text auf gescannten Seiten wird durch Texterkennung gelesen. Wo ein Eintrag eine Sprache nennt, gilt diese.</translation>
    </message>
    <message>
        <source>Which languages are your scanned papers in?</source>
        <translation>In welchen Sprachen sind Ihre gescannten Arbeiten?</translation>
    </message>
</context>
<context>
    <name>Languages</name>
    <message>
        <source>Find a language</source>
        <translation>Sprache suchen</translation>
    </message>
    <message>
        <source>Languages of scanned pages</source>
        <translation>Sprachen gescannter Seiten</translation>
    </message>
    <message>
        <source>{name} (no data on this computer)</source>
        <translation>{name} (keine Daten auf diesem Computer)</translation>
    </message>
</context>
<context>
    <name>LogModel</name>
    <message>
        <source>Asked</source>
        <translation>Gefragt</translation>
    </message>
    <message>
        <source>Editor</source>
        <translation>Editor</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Passages</source>
        <translation>Textstellen</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
</context>
<context>
    <name>LogsSection</name>
    <message>
        <source>&amp;Log</source>
        <translation>Pro&amp;tokoll</translation>
    </message>
    <message>
        <source>&amp;Open the folder</source>
        <translation>&amp;Ordner öffnen</translation>
    </message>
    <message>
        <source>&amp;Run the check-up</source>
        <translation>&amp;Prüfung starten</translation>
    </message>
    <message>
        <source>App</source>
        <translation>App</translation>
    </message>
    <message>
        <source>Checking every part …</source>
        <translation>Alle Teile werden geprüft&#xa0;…</translation>
    </message>
    <message>
        <source>Checks every part of CiteLoom and says how to fix problems.</source>
        <translation>Prüft alle Teile von CiteLoom und sagt, wie sich Probleme beheben lassen.</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Dienst</translation>
    </message>
    <message>
        <source>Every part works, but some papers could not be read.</source>
        <translation>Alle Teile arbeiten, aber manche Arbeiten konnten nicht eingelesen werden.</translation>
    </message>
    <message>
        <source>Everything works.</source>
        <translation>Alles funktioniert.</translation>
    </message>
    <message>
        <source>Log to show</source>
        <translation>Gezeigtes Protokoll</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Protokolle</translation>
    </message>
    <message>
        <source>Nothing has been logged yet.</source>
        <translation>Es wurde noch nichts protokolliert.</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Re&amp;fresh</source>
        <translation>A&amp;ktualisieren</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Befund</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>The last lines of the log</source>
        <translation>Die letzten Zeilen des Protokolls</translation>
    </message>
    <message>
        <source>What the check-up found</source>
        <translation>Was die Prüfung ergab</translation>
    </message>
    <message>
        <source>needs attention</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>works</source>
        <translation>in Ordnung</translation>
    </message>
    <message>
        <source>{count} of {all} parts need attention.</source>
        <translation>Teile mit Problemen: {count} von {all}.</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Open Settings</source>
        <translation>Einstellungen öffnen</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Bereiche</translation>
    </message>
    <message>
        <source>Progress of the imports</source>
        <translation>Fortschritt der Importe</translation>
    </message>
    <message>
        <source>Restart the engine</source>
        <translation>Dienst neu starten</translation>
    </message>
    <message>
        <source>The running engine has version {version}, which differs from this app’s version.</source>
        <translation>Der laufende Dienst hat die Version {version}, die nicht die dieser App ist.</translation>
    </message>
    <message>
        <source>This desktop shows no tray icons: CiteLoom runs as long as this window is open.</source>
        <translation>Dieser Desktop zeigt keinen Infobereich: CiteLoom läuft, solange dieses Fenster offen ist.</translation>
    </message>
    <message>
        <source>{problem} It is being restarted.</source>
        <translation>{problem} Er wird neu gestartet.</translation>
    </message>
</context>
<context>
    <name>ModelsSection</name>
    <message>
        <source>&amp;Use it…</source>
        <translation>&amp;Verwenden&#xa0;…</translation>
    </message>
    <message>
        <source>A model turns passages into numbers, so that a question finds what means the same in other words. The one that comes with CiteLoom is made for English; for other languages choose a multilingual one.</source>
        <translation>Ein Modell macht aus Textstellen Zahlen, damit eine Frage auch findet, was mit anderen Worten dasselbe meint. Das mitgelieferte ist für Englisch gemacht; für andere Sprachen wählen Sie ein mehrsprachiges.</translation>
    </message>
    <message>
        <source>Change the model of a project</source>
        <translation>Das Modell eines Projekts ändern</translation>
    </message>
    <message>
        <source>Choose a project and a model.</source>
        <translation>Wählen Sie ein Projekt und ein Modell.</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>Beschreibung</translation>
    </message>
    <message>
        <source>Download and rebuild</source>
        <translation>Herunterladen und neu aufbauen</translation>
    </message>
    <message>
        <source>Existing projects keep the model they were built with.</source>
        <translation>Bestehende Projekte behalten das Modell, mit dem sie aufgebaut wurden.</translation>
    </message>
    <message>
        <source>Find a model or a language</source>
        <translation>Modell oder Sprache suchen</translation>
    </message>
    <message>
        <source>For “{project}”: {model}. {about}</source>
        <translation>Für „{project}“: {model}. {about}</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>Installiert</translation>
    </message>
    <message>
        <source>Languages of your library: {names}. Recommended models come first.</source>
        <translation>Sprachen Ihrer Bibliothek: {names}. Empfohlene Modelle stehen vorn.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Model for &amp;new projects</source>
        <translation>Modell für &amp;neue Projekte</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Projects and their models</source>
        <translation>Projekte und ihre Modelle</translation>
    </message>
    <message>
        <source>Rebuild</source>
        <translation>Neu aufbauen</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>Empfohlen</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Stopped: “{project}” keeps its previous model.</source>
        <translation>Angehalten: „{project}“ behält sein bisheriges Modell.</translation>
    </message>
    <message>
        <source>The index of “{project}” is being rebuilt. You can keep working meanwhile.</source>
        <translation>Der Index von „{project}“ wird neu aufgebaut. Sie können solange weiterarbeiten.</translation>
    </message>
    <message>
        <source>The index of “{project}” is rebuilt beside the old one, which is used until then. Papers are not read again, but it can take a while.</source>
        <translation>Der Index von „{project}“ wird neben dem alten neu aufgebaut, der bis dahin genutzt wird. Arbeiten werden nicht noch einmal eingelesen, aber es kann eine Weile dauern.</translation>
    </message>
    <message>
        <source>The model is downloaded first: {size}, from huggingface.co.</source>
        <translation>Zuerst wird das Modell heruntergeladen: {size}, von huggingface.co.</translation>
    </message>
    <message>
        <source>There is no project yet.</source>
        <translation>Es gibt noch kein Projekt.</translation>
    </message>
    <message>
        <source>Use {model}?</source>
        <translation>{model} verwenden?</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>enthalten</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>{model} (built in)</source>
        <translation>{model} (mitgeliefert)</translation>
    </message>
    <message>
        <source>“{project}” already uses this model.</source>
        <translation>„{project}“ nutzt dieses Modell schon.</translation>
    </message>
    <message>
        <source>“{project}” now uses the model {model}.</source>
        <translation>„{project}“ nutzt jetzt das Modell {model}.</translation>
    </message>
</context>
<context>
    <name>MoveDialog</name>
    <message>
        <source>&amp;Move it</source>
        <translation>&amp;Verschieben</translation>
    </message>
    <message>
        <source>Its {count} passages are copied. The old index is used until the copy is complete and has been compared; then it is deleted. This takes a while, and nothing new is read into this project until it is done. You can keep working.</source>
        <translation>Seine Textstellen ({count}) werden kopiert. Der alte Index wird genutzt, bis die Kopie vollständig und verglichen ist; dann wird er gelöscht. Das dauert eine Weile; bis dahin wird nichts Neues in dieses Projekt eingelesen. Sie können weiterarbeiten.</translation>
    </message>
    <message>
        <source>Move the index of “{project}”</source>
        <translation>Den Index von „{project}“ verschieben</translation>
    </message>
    <message>
        <source>To a &amp;Qdrant server</source>
        <translation>Auf einen &amp;Qdrant-Server</translation>
    </message>
    <message>
        <source>To this &amp;computer, into CiteLoom’s own folder</source>
        <translation>Auf diesen &amp;Computer, in CiteLooms eigenen Ordner</translation>
    </message>
</context>
<context>
    <name>NameStep</name>
    <message>
        <source>Editors use this name for the project, such as thesis or thesis/chapter-2.</source>
        <translation>Unter diesem Namen nennen Editoren das Projekt, zum Beispiel thesis oder thesis/chapter-2.</translation>
    </message>
    <message>
        <source>N&amp;ame of the project</source>
        <translation>&amp;Name des Projekts</translation>
    </message>
    <message>
        <source>Name of the project</source>
        <translation>Name des Projekts</translation>
    </message>
    <message>
        <source>What is it called?</source>
        <translation>Wie heißt es?</translation>
    </message>
</context>
<context>
    <name>NewIndexes</name>
    <message>
        <source>Keep the passages of new projects on {address}?</source>
        <translation>Die Textstellen neuer Projekte auf {address} ablegen?</translation>
    </message>
    <message>
        <source>Keep them there</source>
        <translation>Dort ablegen</translation>
    </message>
    <message>
        <source>On a &amp;Qdrant server</source>
        <translation>Auf einem &amp;Qdrant-Server</translation>
    </message>
    <message>
        <source>On this &amp;computer, in CiteLoom’s own folder (recommended)</source>
        <translation>Auf diesem &amp;Computer, in CiteLooms eigenem Ordner (empfohlen)</translation>
    </message>
</context>
<context>
    <name>NewProjectDialog</name>
    <message>
        <source>&amp;Choose…</source>
        <translation>Aus&amp;wählen&#xa0;…</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>&amp;Zotero</source>
        <translation>&amp;Zotero</translation>
    </message>
    <message>
        <source>A .bib or CSL-JSON file; not needed with Zotero</source>
        <translation>Eine .bib- oder CSL-JSON-Datei; mit Zotero nicht nötig</translation>
    </message>
    <message>
        <source>A folder that the project reads</source>
        <translation>Ein Ordner, den das Projekt einliest</translation>
    </message>
    <message>
        <source>Add a &amp;folder…</source>
        <translation>Ordner &amp;hinzufügen&#xa0;…</translation>
    </message>
    <message>
        <source>Create the &amp;project</source>
        <translation>&amp;Projekt anlegen</translation>
    </message>
    <message>
        <source>Fol&amp;ders</source>
        <translation>&amp;Ordner</translation>
    </message>
    <message>
        <source>New project</source>
        <translation>Neues Projekt</translation>
    </message>
    <message>
        <source>R&amp;eferences</source>
        <translation>&amp;Literaturdatei</translation>
    </message>
    <message>
        <source>References ({suffixes})</source>
        <translation>Literaturdateien ({suffixes})</translation>
    </message>
    <message>
        <source>Remo&amp;ve from the list</source>
        <translation>Aus der &amp;Liste entfernen</translation>
    </message>
    <message>
        <source>The references of the project</source>
        <translation>Die Literaturdatei des Projekts</translation>
    </message>
    <message>
        <source>thesis, or thesis/chapter-2</source>
        <translation>dissertation oder dissertation/kapitel-2</translation>
    </message>
</context>
<context>
    <name>OtherPanel</name>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>Another editor</source>
        <translation>Ein anderer Editor</translation>
    </message>
    <message>
        <source>Any editor that supports MCP can use CiteLoom. Copy this entry into its settings for MCP servers, next to any others.</source>
        <translation>Jeder Editor, der MCP unterstützt, kann CiteLoom nutzen. Kopieren Sie diesen Eintrag in seine Einstellungen für MCP-Server, neben eventuell vorhandene.</translation>
    </message>
    <message>
        <source>Choose a project first.</source>
        <translation>Wählen Sie zuerst ein Projekt.</translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation>Kopiert.</translation>
    </message>
    <message>
        <source>Format of the entry</source>
        <translation>Format des Eintrags</translation>
    </message>
    <message>
        <source>In the format of &amp;editor:</source>
        <translation>Im Format von &amp;Editor:</translation>
    </message>
    <message>
        <source>Most editors</source>
        <translation>Die meisten Editoren</translation>
    </message>
    <message>
        <source>The entry to copy</source>
        <translation>Der Eintrag zum Kopieren</translation>
    </message>
</context>
<context>
    <name>PageView</name>
    <message>
        <source>Fit the width</source>
        <translation>An die Breite anpassen</translation>
    </message>
    <message>
        <source>Locating the passage on this page …</source>
        <translation>Die Textstelle wird auf dieser Seite gesucht&#xa0;…</translation>
    </message>
    <message>
        <source>Next page</source>
        <translation>Nächste Seite</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>Previous page</source>
        <translation>Vorige Seite</translation>
    </message>
    <message>
        <source>The page is loading</source>
        <translation>Die Seite wird geladen</translation>
    </message>
    <message>
        <source>The passage is on this page, but its exact position could not be determined.</source>
        <translation>Die Textstelle ist auf dieser Seite, aber ihre genaue Lage ließ sich nicht bestimmen.</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>page {label} ({place})</source>
        <translation>Seite {label} ({place})</translation>
    </message>
    <message>
        <source>{page} of {pages}</source>
        <translation>{page} von {pages}</translation>
    </message>
    <message>
        <source>{what} ({keys})</source>
        <translation>{what} ({keys})</translation>
    </message>
</context>
<context>
    <name>PassageText</name>
    <message>
        <source>Passage</source>
        <translation>Textstelle</translation>
    </message>
</context>
<context>
    <name>PlanDialog</name>
    <message>
        <source>&amp;Keep them</source>
        <translation>&amp;Behalten</translation>
    </message>
    <message>
        <source>&amp;Remove them</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>Before this sync</source>
        <translation>Vor diesem Abgleich</translation>
    </message>
    <message>
        <source>Has a drive been unplugged, or a folder moved? Then keep them: they stay searchable.</source>
        <translation>Wurde ein Laufwerk entfernt oder ein Ordner verschoben? Dann behalten Sie sie: Sie bleiben durchsuchbar.</translation>
    </message>
    <message>
        <source>Papers that would be removed</source>
        <translation>Arbeiten, die entfernt würden</translation>
    </message>
    <message>
        <source>Record changed</source>
        <translation>Eintrag geändert</translation>
    </message>
    <message>
        <source>To be read</source>
        <translation>Einzulesen</translation>
    </message>
    <message>
        <source>To be read again</source>
        <translation>Erneut einzulesen</translation>
    </message>
    <message>
        <source>To be removed</source>
        <translation>Zu entfernen</translation>
    </message>
    <message>
        <source>Unchanged</source>
        <translation>Unverändert</translation>
    </message>
    <message>
        <source>Without a file</source>
        <translation>Ohne Datei</translation>
    </message>
    <message>
        <source>{count} papers of {project} are no longer in their folders or collections.</source>
        <translation>Arbeiten von {project}, die nicht mehr in ihren Ordnern oder Sammlungen sind: {count}.</translation>
    </message>
</context>
<context>
    <name>PrivacySection</name>
    <message>
        <source>&amp;Keep a log of what editors ask</source>
        <translation>&amp;Protokoll führen, was Editoren fragen</translation>
    </message>
    <message>
        <source>&amp;Show what editors asked</source>
        <translation>&amp;Zeigen, was Editoren gefragt haben</translation>
    </message>
    <message>
        <source>Allow agents to fetch papers from the &amp;web</source>
        <translation>Agenten dürfen Arbeiten aus dem &amp;Web holen</translation>
    </message>
    <message>
        <source>An agent in an editor with write access can then name a web address, and CiteLoom reads what is there. Otherwise only you can do that.</source>
        <translation>Ein Agent in einem Editor mit Schreibzugriff kann dann eine Webadresse nennen, und CiteLoom liest, was dort ist. Sonst können nur Sie das.</translation>
    </message>
    <message>
        <source>Keep it &amp;for</source>
        <translation>&amp;Aufbewahren</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>Datenschutz</translation>
    </message>
    <message>
        <source>Until you clear it</source>
        <translation>Bis Sie es leeren</translation>
    </message>
    <message>
        <source>Which editor asked what, and which passages it got. It stays on this computer.</source>
        <translation>Welcher Editor was gefragt und welche Textstellen er bekommen hat. Es bleibt auf diesem Computer.</translation>
    </message>
    <message>
        <source>Your papers, your questions and the answers stay on this computer. An editor gets the passages that it asks for, and passes them to its model like everything you write there. Only if you keep an index on a Qdrant server elsewhere are the texts of its passages stored there, and questions are sent to it as numbers and words.</source>
        <translation>Ihre Literatur, Ihre Fragen und die Antworten bleiben auf diesem Computer. Ein Editor bekommt die Textstellen, nach denen er fragt, und gibt sie an sein Modell weiter wie alles, was Sie dort schreiben. Nur wenn Sie einen Index auf einem Qdrant-Server anderswo führen, sind die Texte seiner Textstellen dort gespeichert, und Fragen gehen als Zahlen und Wörter an ihn.</translation>
    </message>
    <message>
        <source>{number} days</source>
        <translation>{number}&#xa0;Tage</translation>
    </message>
</context>
<context>
    <name>ProjectList</name>
    <message>
        <source>Find a project</source>
        <translation>Projekt suchen</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>Projekte</translation>
    </message>
</context>
<context>
    <name>ProjectView</name>
    <message>
        <source>&amp;Add</source>
        <translation>&amp;Hinzufügen</translation>
    </message>
    <message>
        <source>&amp;Folder…</source>
        <translation>&amp;Ordner&#xa0;…</translation>
    </message>
    <message>
        <source>&amp;Papers</source>
        <translation>Arbei&amp;ten</translation>
    </message>
    <message>
        <source>&amp;Rebuild it</source>
        <translation>&amp;Neu aufbauen</translation>
    </message>
    <message>
        <source>&amp;References…</source>
        <translation>&amp;Literaturdatei&#xa0;…</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>&amp;Sources</source>
        <translation>&amp;Quellen</translation>
    </message>
    <message>
        <source>A folder that the project reads</source>
        <translation>Ein Ordner, den das Projekt einliest</translation>
    </message>
    <message>
        <source>About this project</source>
        <translation>Zu diesem Projekt</translation>
    </message>
    <message>
        <source>Add a part of Zotero or a folder, or drop files and folders here.</source>
        <translation>Fügen Sie einen Teil von Zotero oder einen Ordner hinzu, oder ziehen Sie Dateien und Ordner hierher.</translation>
    </message>
    <message>
        <source>Add to this project</source>
        <translation>Zu diesem Projekt hinzufügen</translation>
    </message>
    <message>
        <source>Checking …</source>
        <translation>Wird geprüft&#xa0;…</translation>
    </message>
    <message>
        <source>F&amp;iles…</source>
        <translation>&amp;Dateien&#xa0;…</translation>
    </message>
    <message>
        <source>Files that the project reads</source>
        <translation>Dateien, die das Projekt einliest</translation>
    </message>
    <message>
        <source>Part of &amp;Zotero…</source>
        <translation>Teil von &amp;Zotero&#xa0;…</translation>
    </message>
    <message>
        <source>Reads them again even if their files have not changed</source>
        <translation>Liest sie erneut ein, auch wenn ihre Dateien unverändert sind</translation>
    </message>
    <message>
        <source>Rebuild the index</source>
        <translation>Index neu aufbauen</translation>
    </message>
    <message>
        <source>Rebuild the index of “{project}”? The old one is used until the new one is ready. Papers that were read are not read again.</source>
        <translation>Den Index von „{project}“ neu aufbauen? Der alte wird genutzt, bis der neue fertig ist. Eingelesene Arbeiten werden nicht noch einmal eingelesen.</translation>
    </message>
    <message>
        <source>Rebuild the index…</source>
        <translation>Index neu aufbauen&#xa0;…</translation>
    </message>
    <message>
        <source>References ({suffixes})</source>
        <translation>Literaturdateien ({suffixes})</translation>
    </message>
    <message>
        <source>Remove project</source>
        <translation>Projekt entfernen</translation>
    </message>
    <message>
        <source>Remove the project “{project}”? What CiteLoom has read for it is deleted; your files and Zotero are not changed.</source>
        <translation>Das Projekt „{project}“ entfernen? Was CiteLoom dafür eingelesen hat, wird gelöscht; Ihre Dateien und Zotero werden nicht geändert.</translation>
    </message>
    <message>
        <source>Remove this project…</source>
        <translation>Dieses Projekt entfernen&#xa0;…</translation>
    </message>
    <message>
        <source>Sync &amp;now</source>
        <translation>Jetzt ab&amp;gleichen</translation>
    </message>
    <message>
        <source>The references of the project</source>
        <translation>Die Literaturdatei des Projekts</translation>
    </message>
    <message>
        <source>This project reads nothing yet</source>
        <translation>Dieses Projekt liest noch nichts ein</translation>
    </message>
    <message>
        <source>Try failed papers a&amp;gain</source>
        <translation>Fehlgeschlagene noch ein&amp;mal versuchen</translation>
    </message>
    <message>
        <source>{count} papers are no longer in their sources. They are kept; sync now to decide.</source>
        <translation>Arbeiten, die nicht mehr in ihren Quellen sind: {count}. Sie bleiben; gleichen Sie jetzt ab, um zu entscheiden.</translation>
    </message>
    <message>
        <source>{question} The running import is stopped.</source>
        <translation>{question} Der laufende Import wird angehalten.</translation>
    </message>
</context>
<context>
    <name>Projects</name>
    <message>
        <source>Could not be read</source>
        <translation>Nicht lesbar</translation>
    </message>
    <message>
        <source>Doubtful</source>
        <translation>Zweifelhaft</translation>
    </message>
    <message>
        <source>Doubtful: claims to be @{key}</source>
        <translation>Zweifelhaft: gibt sich als @{key} aus</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Dublette</translation>
    </message>
    <message>
        <source>Found by its words only so far</source>
        <translation>Wird vorerst nur nach Wörtern gefunden</translation>
    </message>
    <message>
        <source>It is an item of Zotero.</source>
        <translation>Sie ist ein Eintrag in Zotero.</translation>
    </message>
    <message>
        <source>Its DOI is in the references.</source>
        <translation>Ihre DOI steht in der Literaturdatei.</translation>
    </message>
    <message>
        <source>Its record in the references names a file of this name.</source>
        <translation>Ihr Eintrag in der Literaturdatei nennt eine Datei dieses Namens.</translation>
    </message>
    <message>
        <source>Its record in the references names this file.</source>
        <translation>Ihr Eintrag in der Literaturdatei nennt diese Datei.</translation>
    </message>
    <message>
        <source>Its title is in the references.</source>
        <translation>Ihr Titel steht in der Literaturdatei.</translation>
    </message>
    <message>
        <source>No record was found; the citekey was generated from the file.</source>
        <translation>Kein Eintrag gefunden; der Zitierschlüssel wurde aus der Datei gebildet.</translation>
    </message>
    <message>
        <source>Only an editor says so.</source>
        <translation>Nur ein Editor sagt das.</translation>
    </message>
    <message>
        <source>Read as plain text: {why}</source>
        <translation>Als einfacher Text eingelesen: {why}</translation>
    </message>
    <message>
        <source>Recognised by OCR; some characters may be wrong.</source>
        <translation>Durch Texterkennung gelesen; einzelne Zeichen können falsch sein.</translation>
    </message>
    <message>
        <source>Recognised pages: {share}.</source>
        <translation>Durch Texterkennung gelesene Seiten: {share}.</translation>
    </message>
    <message>
        <source>Searchable</source>
        <translation>Durchsuchbar</translation>
    </message>
    <message>
        <source>Read by OCR or layout analysis: {pages}.</source>
        <translation>Mit Texterkennung oder Layoutanalyse eingelesene Seiten: {pages}.</translation>
    </message>
    <message>
        <source>Searchable already; pages that need OCR or layout analysis follow.</source>
        <translation>Schon durchsuchbar; Seiten, die Texterkennung oder Layoutanalyse brauchen, folgen.</translation>
    </message>
    <message>
        <source>Still to be read</source>
        <translation>Noch einzulesen</translation>
    </message>
    <message>
        <source>Stored by an agent; no file was read.</source>
        <translation>Von einem Agenten gespeichert; es wurde keine Datei eingelesen.</translation>
    </message>
    <message>
        <source>That work has another file.</source>
        <translation>Diese Arbeit hat eine andere Datei.</translation>
    </message>
    <message>
        <source>The text of the file itself.</source>
        <translation>Der Text der Datei selbst.</translation>
    </message>
    <message>
        <source>The text of the file; some pages were recognised by OCR.</source>
        <translation>Der Text der Datei; einige Seiten wurden durch Texterkennung gelesen.</translation>
    </message>
    <message>
        <source>Without a file</source>
        <translation>Ohne Datei</translation>
    </message>
    <message>
        <source>You confirmed which work it is.</source>
        <translation>Sie haben bestätigt, welche Arbeit es ist.</translation>
    </message>
    <message>
        <source>Your annotations.</source>
        <translation>Ihre Anmerkungen.</translation>
    </message>
    <message>
        <source>Your notes.</source>
        <translation>Ihre Notizen.</translation>
    </message>
    <message>
        <source>Zotero’s full text of a file that is not on this computer; it has no pages.</source>
        <translation>Zoteros Volltext einer Datei, die nicht auf diesem Computer ist; ohne Seiten.</translation>
    </message>
    <message>
        <source>{name}, without subfolders or subcollections</source>
        <translation>{name}, ohne Unterordner oder Untersammlungen</translation>
    </message>
</context>
<context>
    <name>ProjectsModel</name>
    <message>
        <source>{project} (no longer exists)</source>
        <translation>{project} (gibt es nicht mehr)</translation>
    </message>
    <message>
        <source>{project}: {coverage}</source>
        <translation>{project}: {coverage}</translation>
    </message>
</context>
<context>
    <name>ProjectsPage</name>
    <message>
        <source>A project is what you write: a thesis, a chapter, an article. It reads parts of Zotero or folders.</source>
        <translation>Ein Projekt ist, was Sie schreiben: eine Dissertation, ein Kapitel, ein Aufsatz. Es liest Teile von Zotero oder Ordner ein.</translation>
    </message>
    <message>
        <source>Choose what your first project reads</source>
        <translation>Wählen Sie, was Ihr erstes Projekt einliest</translation>
    </message>
    <message>
        <source>Create a project first; then drop what it should read.</source>
        <translation>Legen Sie zuerst ein Projekt an; legen Sie dann ab, was es einlesen soll.</translation>
    </message>
    <message>
        <source>Loading your projects …</source>
        <translation>Ihre Projekte werden geladen&#xa0;…</translation>
    </message>
    <message>
        <source>New pro&amp;ject…</source>
        <translation>Neues Pro&amp;jekt&#xa0;…</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>Projekte</translation>
    </message>
    <message>
        <source>Step &amp;by step…</source>
        <translation>&amp;Schritt für Schritt&#xa0;…</translation>
    </message>
    <message>
        <source>The project “{project}” was removed.</source>
        <translation>Das Projekt „{project}“ wurde entfernt.</translation>
    </message>
    <message>
        <source>Try the &amp;sample library</source>
        <translation>&amp;Beispielbibliothek ausprobieren</translation>
    </message>
</context>
<context>
    <name>Reader</name>
    <message>
        <source>Also in {cites}</source>
        <translation>Auch in {cites}</translation>
    </message>
    <message>
        <source>BibTeX copied</source>
        <translation>BibTeX kopiert</translation>
    </message>
    <message>
        <source>Citation copied</source>
        <translation>Beleg kopiert</translation>
    </message>
    <message>
        <source>Copy &amp;citation</source>
        <translation>Beleg &amp;kopieren</translation>
    </message>
    <message>
        <source>Copy as &amp;BibTeX</source>
        <translation>Als &amp;BibTeX kopieren</translation>
    </message>
    <message>
        <source>Copy as &amp;link</source>
        <translation>Als &amp;Link kopieren</translation>
    </message>
    <message>
        <source>Copy as &amp;quotation</source>
        <translation>Als &amp;Zitat kopieren</translation>
    </message>
    <message>
        <source>Copy citation</source>
        <translation>Beleg kopieren</translation>
    </message>
    <message>
        <source>Copy the citation (Ctrl+C in the list of hits)</source>
        <translation>Den Beleg kopieren (Strg+C in der Trefferliste)</translation>
    </message>
    <message>
        <source>Link copied</source>
        <translation>Link kopiert</translation>
    </message>
    <message>
        <source>Open file</source>
        <translation>Datei öffnen</translation>
    </message>
    <message>
        <source>Open in Zotero</source>
        <translation>In Zotero öffnen</translation>
    </message>
    <message>
        <source>Opened</source>
        <translation>Geöffnet</translation>
    </message>
    <message>
        <source>Opened: go to PDF page {page}</source>
        <translation>Geöffnet: gehen Sie zu PDF-Seite {page}</translation>
    </message>
    <message>
        <source>Quotation copied</source>
        <translation>Zitat kopiert</translation>
    </message>
    <message>
        <source>Select text within the marked passage: the citation is only for that</source>
        <translation>Wählen Sie Text innerhalb der markierten Textstelle: Nur für sie gilt der Beleg</translation>
    </message>
</context>
<context>
    <name>ReadingSection</name>
    <message>
        <source>&amp;Memory limit per paper</source>
        <translation>&amp;Speichergrenze pro Arbeit</translation>
    </message>
    <message>
        <source>&amp;OCR engine for scanned pages</source>
        <translation>&amp;Texterkennung für gescannte Seiten</translation>
    </message>
    <message>
        <source>A paper that needs more is skipped, and the list of papers says so.</source>
        <translation>Eine Arbeit, die mehr braucht, wird übersprungen; das steht dann in der Liste der Arbeiten.</translation>
    </message>
    <message>
        <source>As many as this computer can handle</source>
        <translation>So viele, wie dieser Computer verkraftet</translation>
    </message>
    <message>
        <source>At least one language is needed.</source>
        <translation>Mindestens eine Sprache ist nötig.</translation>
    </message>
    <message>
        <source>Depending on its pages and this computer’s memory</source>
        <translation>Je nach Seitenzahl und Speicher dieses Computers</translation>
    </message>
    <message>
        <source>Languages of scanned pages</source>
        <translation>Sprachen gescannter Seiten</translation>
    </message>
    <message>
        <source>More are faster and need more memory.</source>
        <translation>Mehr sind schneller und brauchen mehr Arbeitsspeicher.</translation>
    </message>
    <message>
        <source>Papers read at the &amp;same time</source>
        <translation>&amp;Gleichzeitig eingelesene Arbeiten</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>Einlesen</translation>
    </message>
    <message>
        <source>Reset to the default languages</source>
        <translation>Auf die Standardsprachen zurücksetzen</translation>
    </message>
    <message>
        <source>Used where a paper’s record does not name its language. More languages can be ticked once their data for Tesseract is installed.</source>
        <translation>Gilt, wo der Eintrag einer Arbeit keine Sprache nennt. Weitere Sprachen lassen sich ankreuzen, sobald ihre Daten für Tesseract installiert sind.</translation>
    </message>
    <message>
        <source>{number} MB</source>
        <translation>{number}&#xa0;MB</translation>
    </message>
</context>
<context>
    <name>ReadingStep</name>
    <message>
        <source>&amp;Connect an editor</source>
        <translation>&amp;Editor verbinden</translation>
    </message>
    <message>
        <source>A paper can be found as soon as its text is there. You can close this window: reading goes on.</source>
        <translation>Eine Arbeit ist auffindbar, sobald ihr Text da ist. Sie können dieses Fenster schließen: Das Einlesen geht weiter.</translation>
    </message>
    <message>
        <source>Creating the project …</source>
        <translation>Das Projekt wird angelegt&#xa0;…</translation>
    </message>
    <message>
        <source>Meanwhile:</source>
        <translation>Inzwischen:</translation>
    </message>
    <message>
        <source>Next:</source>
        <translation>Als Nächstes:</translation>
    </message>
    <message>
        <source>Reading was stopped</source>
        <translation>Das Einlesen wurde angehalten</translation>
    </message>
    <message>
        <source>S&amp;earch now</source>
        <translation>&amp;Jetzt suchen</translation>
    </message>
    <message>
        <source>That did not work</source>
        <translation>Das hat nicht funktioniert</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>What has been read is kept; the next sync continues from there.</source>
        <translation>Was eingelesen ist, bleibt; der nächste Abgleich macht dort weiter.</translation>
    </message>
    <message>
        <source>Whatever could be read can be searched and cited, page by page.</source>
        <translation>Alles, was gelesen werden konnte, lässt sich durchsuchen und seitengenau zitieren.</translation>
    </message>
    <message>
        <source>Your papers are being read</source>
        <translation>Ihre Literatur wird eingelesen</translation>
    </message>
    <message>
        <source>Your papers have been read</source>
        <translation>Ihre Literatur ist eingelesen</translation>
    </message>
    <message>
        <source>{count} more are on the page Activity.</source>
        <translation>Weitere auf der Seite Aktivität: {count}.</translation>
    </message>
</context>
<context>
    <name>Row</name>
    <message>
        <source>Reset to the default: {value}</source>
        <translation>Auf den Standardwert zurücksetzen: {value}</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <source>{setting}: reset to the default</source>
        <translation>{setting}: auf den Standardwert zurücksetzen</translation>
    </message>
</context>
<context>
    <name>RunningJobs</name>
    <message>
        <source>Waiting: {count}</source>
        <translation>Wartend: {count}</translation>
    </message>
</context>
<context>
    <name>Search</name>
    <message>
        <source>Cannot be cited: no known work</source>
        <translation>Nicht zitierbar: kein bekanntes Werk</translation>
    </message>
    <message>
        <source>Doubtful: claims to be @{key}</source>
        <translation>Zweifelhaft: gibt sich als @{key} aus</translation>
    </message>
</context>
<context>
    <name>SearchBar</name>
    <message>
        <source>&amp;Filters</source>
        <translation>&amp;Filter</translation>
    </message>
    <message>
        <source>&amp;Filters: {count}</source>
        <translation>&amp;Filter: {count}</translation>
    </message>
    <message>
        <source>&amp;Project</source>
        <translation>&amp;Projekt</translation>
    </message>
    <message>
        <source>Ask in your own words …</source>
        <translation>Fragen Sie mit eigenen Worten&#xa0;…</translation>
    </message>
    <message>
        <source>Meaning and words</source>
        <translation>Bedeutung und Wörter</translation>
    </message>
    <message>
        <source>Meaning only</source>
        <translation>Nur Bedeutung</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>Search mode</source>
        <translation>Art der Suche</translation>
    </message>
    <message>
        <source>This project has no index of words: it can be searched by meaning only.</source>
        <translation>Dieses Projekt hat keinen Index der Wörter: Es lässt sich nur nach Bedeutung durchsuchen.</translation>
    </message>
</context>
<context>
    <name>SearchPage</name>
    <message>
        <source>A project holds the papers that you search. Create one from a Zotero collection or a folder.</source>
        <translation>Ein Projekt enthält die Literatur, die Sie durchsuchen. Legen Sie eines aus einer Zotero-Sammlung oder einem Ordner an.</translation>
    </message>
    <message>
        <source>Create a project</source>
        <translation>Projekt anlegen</translation>
    </message>
    <message>
        <source>No answer</source>
        <translation>Keine Antwort</translation>
    </message>
    <message>
        <source>No paper of this project can be searched yet. The list of papers shows the progress.</source>
        <translation>Noch lässt sich keine Arbeit dieses Projekts durchsuchen. Die Liste der Arbeiten zeigt den Fortschritt.</translation>
    </message>
    <message>
        <source>No project yet</source>
        <translation>Noch kein Projekt</translation>
    </message>
    <message>
        <source>None of the {count} searchable papers has a passage that matches the filters.</source>
        <translation>Durchsuchte Arbeiten: {count}. Keine hat eine Textstelle, die zu den Filtern passt.</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>Search without filters</source>
        <translation>Ohne Filter suchen</translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>Suche läuft</translation>
    </message>
    <message>
        <source>See the message above.</source>
        <translation>Siehe die Meldung oben.</translation>
    </message>
    <message>
        <source>Show the papers</source>
        <translation>Arbeiten zeigen</translation>
    </message>
    <message>
        <source>Starting …</source>
        <translation>Startet&#xa0;…</translation>
    </message>
    <message>
        <source>Type a question, a claim or a few words. You see the passages that your editor would get, each on its page.</source>
        <translation>Geben Sie eine Frage, eine Behauptung oder ein paar Wörter ein. Sie sehen die Textstellen, die Ihr Editor bekäme, jede auf ihrer Seite.</translation>
    </message>
    <message>
        <source>What do your papers say?</source>
        <translation>Was sagt Ihre Literatur?</translation>
    </message>
    <message>
        <source>What is known about {topic}?</source>
        <translation>Was ist bekannt über {topic}?</translation>
    </message>
    <message>
        <source>{count} papers were searched. Try other words.</source>
        <translation>Durchsuchte Arbeiten: {count}. Versuchen Sie andere Wörter.</translation>
    </message>
</context>
<context>
    <name>ServerAddress</name>
    <message>
        <source>Address of the Qdrant server</source>
        <translation>Adresse des Qdrant-Servers</translation>
    </message>
    <message>
        <source>Te&amp;st</source>
        <translation>&amp;Prüfen</translation>
    </message>
    <message>
        <source>Testing {address} …</source>
        <translation>{address} wird geprüft&#xa0;…</translation>
    </message>
    <message>
        <source>The server can be used: Qdrant {version}.</source>
        <translation>Der Server lässt sich nutzen: Qdrant {version}.</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Op&amp;en the file</source>
        <translation>Datei ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Open the file</source>
        <translation>Datei öffnen</translation>
    </message>
    <message>
        <source>Sections of the settings</source>
        <translation>Bereiche der Einstellungen</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
</context>
<context>
    <name>Sources</name>
    <message>
        <source>&amp;Stop reading it</source>
        <translation>&amp;Nicht mehr einlesen</translation>
    </message>
    <message>
        <source>References: {file}</source>
        <translation>Literaturdatei: {file}</translation>
    </message>
    <message>
        <source>Stop reading t&amp;his…</source>
        <translation>Nicht mehr einle&amp;sen&#xa0;…</translation>
    </message>
    <message>
        <source>Stop reading this</source>
        <translation>Nicht mehr einlesen</translation>
    </message>
    <message>
        <source>Stop reading “{source}”? Its papers are removed; your files and Zotero are not changed.</source>
        <translation>„{source}“ nicht mehr einlesen? Die Arbeiten daraus werden entfernt; Ihre Dateien und Zotero werden nicht geändert.</translation>
    </message>
    <message>
        <source>What this project reads</source>
        <translation>Was dieses Projekt einliest</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>Pause</source>
        <translation>Pausieren</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Sync now</source>
        <translation>Jetzt abgleichen</translation>
    </message>
    <message>
        <source>{page}…</source>
        <translation>{page}&#xa0;…</translation>
    </message>
</context>
<context>
    <name>YesNoRow</name>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
</context>
<context>
    <name>ZoteroChoice</name>
    <message>
        <source>Loading Zotero …</source>
        <translation>Zotero wird geladen&#xa0;…</translation>
    </message>
    <message>
        <source>Try a&amp;gain</source>
        <translation>Erneut &amp;versuchen</translation>
    </message>
    <message>
        <source>Zotero cannot be read</source>
        <translation>Zotero kann nicht gelesen werden</translation>
    </message>
</context>
<context>
    <name>ZoteroSection</name>
    <message>
        <source>&amp;How your library is read</source>
        <translation>&amp;Wie Ihre Bibliothek gelesen wird</translation>
    </message>
    <message>
        <source>Check &amp;again</source>
        <translation>&amp;Erneut prüfen</translation>
    </message>
    <message>
        <source>CiteLoom could not look for Zotero</source>
        <translation>CiteLoom konnte nicht nach Zotero suchen</translation>
    </message>
    <message>
        <source>Fetch files that are not on this &amp;computer</source>
        <translation>Dateien &amp;holen, die nicht auf diesem Computer sind</translation>
    </message>
    <message>
        <source>From zotero.org, once you are logged in there.</source>
        <translation>Von zotero.org, sobald Sie dort angemeldet sind.</translation>
    </message>
    <message>
        <source>Larger files are skipped, and the list of papers says so.</source>
        <translation>Größere Dateien werden übersprungen; das steht dann in der Liste der Arbeiten.</translation>
    </message>
    <message>
        <source>Largest file to fe&amp;tch</source>
        <translation>&amp;Größte Datei, die geholt wird</translation>
    </message>
    <message>
        <source>Looking for Zotero …</source>
        <translation>Zotero wird gesucht&#xa0;…</translation>
    </message>
    <message>
        <source>Only from Zotero’s files on this computer</source>
        <translation>Nur aus Zoteros Dateien auf diesem Computer</translation>
    </message>
    <message>
        <source>Only from zotero.org, with a key</source>
        <translation>Nur von zotero.org, mit einem Schlüssel</translation>
    </message>
    <message>
        <source>Only through the running Zotero</source>
        <translation>Nur über das laufende Zotero</translation>
    </message>
    <message>
        <source>The best available way (recommended)</source>
        <translation>Auf dem besten verfügbaren Weg (empfohlen)</translation>
    </message>
    <message>
        <source>The folder with zotero.sqlite and storage. Empty: the folder that Zotero itself names.</source>
        <translation>Der Ordner mit zotero.sqlite und storage. Leer: der Ordner, den Zotero selbst nennt.</translation>
    </message>
    <message>
        <source>Zotero</source>
        <translation>Zotero</translation>
    </message>
    <message>
        <source>Zotero’s data &amp;folder</source>
        <translation>Zoteros &amp;Datenordner</translation>
    </message>
    <message>
        <source>zotero.org</source>
        <translation>zotero.org</translation>
    </message>
    <message>
        <source>{number} MB</source>
        <translation>{number}&#xa0;MB</translation>
    </message>
</context>
<context>
    <name>ZoteroStep</name>
    <message>
        <source>&amp;Log in</source>
        <translation>&amp;Anmelden</translation>
    </message>
    <message>
        <source>Choose a &amp;folder…</source>
        <translation>&amp;Ordner wählen&#xa0;…</translation>
    </message>
    <message>
        <source>CiteLoom could not look for Zotero</source>
        <translation>CiteLoom konnte nicht nach Zotero suchen</translation>
    </message>
    <message>
        <source>Logged in as {user}.</source>
        <translation>Angemeldet als {user}.</translation>
    </message>
    <message>
        <source>Looking for Zotero …</source>
        <translation>Zotero wird gesucht&#xa0;…</translation>
    </message>
    <message>
        <source>Try the &amp;sample library</source>
        <translation>Beispielbiblio&amp;thek ausprobieren</translation>
    </message>
    <message>
        <source>Welcome to CiteLoom</source>
        <translation>Willkommen bei CiteLoom</translation>
    </message>
    <message>
        <source>Without Zotero</source>
        <translation>Ohne Zotero</translation>
    </message>
    <message>
        <source>Your papers become evidence that any editor can cite, page by page. Everything stays on this computer. First, CiteLoom looks for Zotero.</source>
        <translation>Ihre Literatur wird zu Belegen, die jeder Editor zitieren kann, Seite für Seite. Alles bleibt auf diesem Computer. Zuerst sucht CiteLoom nach Zotero.</translation>
    </message>
    <message>
        <source>Zotero on another computer? Log in to zotero.org: the key stays in this system&apos;s keyring.</source>
        <translation>Zotero auf einem anderen Computer? Melden Sie sich bei zotero.org an: Der Schlüssel bleibt im Schlüsselbund dieses Systems.</translation>
    </message>
    <message>
        <source>{details} CiteLoom notices it automatically.</source>
        <translation>{details} CiteLoom bemerkt es von selbst.</translation>
    </message>
</context>
<context>
    <name>ZoteroText</name>
    <message>
        <source>Create a &amp;key…</source>
        <translation>&amp;Schlüssel erstellen&#xa0;…</translation>
    </message>
    <message>
        <source>In Zotero, open Settings (on a Mac: Zotero → Settings), choose Advanced, and tick “Allow other applications on this computer to communicate with Zotero”.</source>
        <translation>Öffnen Sie in Zotero die Einstellungen (auf einem Mac: Zotero → Einstellungen), wählen Sie „Erweitert“ und haken Sie „Anderen Anwendungen auf diesem Computer erlauben, mit Zotero zu kommunizieren“ an.</translation>
    </message>
    <message>
        <source>Key from zotero.org</source>
        <translation>Schlüssel von zotero.org</translation>
    </message>
    <message>
        <source>Log out</source>
        <translation>Abmelden</translation>
    </message>
    <message>
        <source>Log out of zotero.org?</source>
        <translation>Bei zotero.org abmelden?</translation>
    </message>
    <message>
        <source>The key comes from the environment variable CITELOOM_ZOTERO_API_KEY.</source>
        <translation>Der Schlüssel kommt aus der Umgebungsvariablen CITELOOM_ZOTERO_API_KEY.</translation>
    </message>
    <message>
        <source>The key is deleted from this system’s keyring. To log in again you need it, or a new one.</source>
        <translation>Der Schlüssel wird aus dem Schlüsselbund dieses Systems gelöscht. Um sich wieder anzumelden, brauchen Sie ihn oder einen neuen.</translation>
    </message>
    <message>
        <source>The key is stored in this system’s keyring.</source>
        <translation>Der Schlüssel liegt im Schlüsselbund dieses Systems.</translation>
    </message>
    <message>
        <source>You are logged in as {user}. {location}</source>
        <translation>Sie sind angemeldet als {user}. {location}</translation>
    </message>
    <message>
        <source>You are not logged in. That is only needed for a library or files that are not on this computer.</source>
        <translation>Sie sind nicht angemeldet. Das ist nur für eine Bibliothek oder Dateien nötig, die nicht auf diesem Computer sind.</translation>
    </message>
    <message>
        <source>Your library is read from zotero.org, as {user}</source>
        <translation>Ihre Bibliothek wird von zotero.org gelesen, als {user}</translation>
    </message>
    <message>
        <source>Zotero cannot be reached</source>
        <translation>Zotero ist nicht erreichbar</translation>
    </message>
    <message>
        <source>Zotero is closed; its library can still be read</source>
        <translation>Zotero ist geschlossen; seine Bibliothek lässt sich trotzdem lesen</translation>
    </message>
    <message>
        <source>Zotero is running, but does not allow access by other programs</source>
        <translation>Zotero läuft, erlaubt anderen Programmen aber keinen Zugriff</translation>
    </message>
    <message>
        <source>Zotero {version} is running</source>
        <translation>Zotero {version} läuft</translation>
    </message>
    <message>
        <source>{count} entries in {libraries} libraries.</source>
        <translation>Einträge: {count}, Bibliotheken: {libraries}.</translation>
    </message>
    <message>
        <source>{entries} Open Zotero for citekeys of Better BibTeX and immediate updates.</source>
        <translation>{entries} Öffnen Sie Zotero für Zitierschlüssel von Better BibTeX und sofortige Aktualisierung.</translation>
    </message>
</context>
<context>
    <name>ZoteroTree</name>
    <message>
        <source>Find a collection</source>
        <translation>Sammlung suchen</translation>
    </message>
    <message>
        <source>Libraries and collections of Zotero</source>
        <translation>Bibliotheken und Sammlungen von Zotero</translation>
    </message>
    <message>
        <source>Library or collection</source>
        <translation>Bibliothek oder Sammlung</translation>
    </message>
    <message>
        <source>Papers</source>
        <translation>Arbeiten</translation>
    </message>
</context>
<context>
    <name>_RequestDialog</name>
    <message>
        <source>One moment …</source>
        <translation>Einen Moment&#xa0;…</translation>
    </message>
</context>
</TS>
