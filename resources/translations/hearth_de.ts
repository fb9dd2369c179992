<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>Hearth %1</source>
        <translation>Hearth %1</translation>
    </message>
</context>
<context>
    <name>AboutText</name>
    <message>
        <source>Your chats are kept in</source>
        <translation>Die Chats liegen in</translation>
    </message>
    <message>
        <source>Copy the folder&apos;s path</source>
        <translation>Pfad des Ordners kopieren</translation>
    </message>
    <message>
        <source>The program is free software under the MIT licence; the starter model that comes with it is under CC BY-SA 4.0.</source>
        <translation>Das Programm ist freie Software unter der MIT-Lizenz; das mitgelieferte Startmodell steht unter CC BY-SA 4.0.</translation>
    </message>
    <message>
        <source>All licences…</source>
        <translation>Alle Lizenzen …</translation>
    </message>
    <message>
        <source>A chat with a language model that runs on this computer. Nothing you write leaves it, unless you choose a remote model.</source>
        <translation>Chat mit einem Sprachmodell, das auf diesem Computer läuft. Nichts Geschriebenes verlässt ihn, außer es ist ein entferntes Modell gewählt.</translation>
    </message>
</context>
<context>
    <name>AddToolServer</name>
    <message>
        <source>Name of the new server</source>
        <translation>Name des neuen Servers</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Command line or address of the new server</source>
        <translation>Befehlszeile oder Adresse des neuen Servers</translation>
    </message>
    <message>
        <source>Command line, or https://…</source>
        <translation>Befehlszeile oder https://…</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add the server</source>
        <translation>Server hinzufügen</translation>
    </message>
</context>
<context>
    <name>AmountRow</name>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>%1: automatic</source>
        <translation>%1: automatisch</translation>
    </message>
    <message>
        <source>%1, typed</source>
        <translation>%1, als Eingabe</translation>
    </message>
</context>
<context>
    <name>AppDialog</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
</context>
<context>
    <name>AppPaths</name>
    <message>
        <source>What is kept:</source>
        <translation>Aufbewahrt werden:</translation>
    </message>
    <message>
        <source>conversations</source>
        <translation>Chats</translation>
    </message>
    <message>
        <source>settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>cache</source>
        <translation>Cache</translation>
    </message>
</context>
<context>
    <name>AttachedFile</name>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Shows its text</source>
        <translation>Zeigt den Text</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
</context>
<context>
    <name>AttachedText</name>
    <message>
        <source>Pasted text, %1</source>
        <translation>Eingefügter Text, %1</translation>
    </message>
    <message>
        <source>Shows all of it</source>
        <translation>Zeigt alles</translation>
    </message>
    <message>
        <source>Remove the pasted text</source>
        <translation>Eingefügten Text entfernen</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
</context>
<context>
    <name>BlockCode</name>
    <message>
        <source>code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>formula</source>
        <translation>Formel</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the formula</source>
        <translation>Formel kopieren</translation>
    </message>
    <message>
        <source>Copy the code</source>
        <translation>Code kopieren</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>Formel</translation>
    </message>
    <message>
        <source>Code in %1</source>
        <translation>Code in %1</translation>
    </message>
    <message>
        <source>This drawing cannot be shown: its source is not complete SVG.</source>
        <translation>Diese Zeichnung kann nicht gezeigt werden: Ihr Quelltext ist kein vollständiges SVG.</translation>
    </message>
    <message>
        <source>This drawing cannot be shown: its source is too long.</source>
        <translation>Diese Zeichnung kann nicht gezeigt werden: Ihr Quelltext ist zu lang.</translation>
    </message>
    <message>
        <source>This drawing cannot be shown: it is empty.</source>
        <translation>Diese Zeichnung kann nicht gezeigt werden: Sie ist leer.</translation>
    </message>
    <message>
        <source>This drawing cannot be shown: it takes too much time or memory.</source>
        <translation>Diese Zeichnung kann nicht gezeigt werden: Sie braucht zu viel Zeit oder Arbeitsspeicher.</translation>
    </message>
    <message>
        <source>Parts of this drawing cannot be shown.</source>
        <translation>Teile dieser Zeichnung können nicht gezeigt werden.</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelltext</translation>
    </message>
    <message>
        <source>Drawing</source>
        <translation>Zeichnung</translation>
    </message>
    <message>
        <source>Show the source</source>
        <translation>Quelltext zeigen</translation>
    </message>
    <message>
        <source>Show the drawing</source>
        <translation>Zeichnung zeigen</translation>
    </message>
</context>
<context>
    <name>BlockDrawing</name>
    <message>
        <source>Drawing</source>
        <translation>Zeichnung</translation>
    </message>
</context>
<context>
    <name>BlockFormula</name>
    <message>
        <source>Formula: %1</source>
        <translation>Formel: %1</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Copy the formula</source>
        <translation>Formel kopieren</translation>
    </message>
</context>
<context>
    <name>BlockText</name>
    <message>
        <source>Leads to %1</source>
        <translation>Führt zu %1</translation>
    </message>
</context>
<context>
    <name>Catalog</name>
    <message>
        <source>The list of models to download cannot be read: %1.</source>
        <translation>Die Liste der Modelle zum Herunterladen ist nicht lesbar: %1.</translation>
    </message>
    <message>
        <source>it is too large</source>
        <translation>sie ist zu groß</translation>
    </message>
    <message>
        <source>it is of another version</source>
        <translation>sie hat eine andere Version</translation>
    </message>
    <message>
        <source>it is too long</source>
        <translation>sie ist zu lang</translation>
    </message>
    <message>
        <source>The chat template “%1” of the list makes no sense.</source>
        <translation>Die Chatvorlage „%1“ der Liste ergibt keinen Sinn.</translation>
    </message>
    <message>
        <source>Model %1 of the list is left out: its “%2” is wrong.</source>
        <translation>Modell %1 der Liste wird ausgelassen: „%2“ ist falsch.</translation>
    </message>
    <message>
        <source>Model %1 of the list is left out: it is there twice.</source>
        <translation>Modell %1 der Liste wird ausgelassen: Es steht doppelt darin.</translation>
    </message>
</context>
<context>
    <name>CatalogWords</name>
    <message>
        <source>Chat, English. Sparse: about a tenth of its neurons answer each word.</source>
        <translation>Chat, Englisch. Dünn besetzt: Etwa ein Zehntel der Neuronen antwortet für jedes Wort.</translation>
    </message>
    <message>
        <source>The same, not quantised.</source>
        <translation>Dasselbe, nicht quantisiert.</translation>
    </message>
    <message>
        <source>Continues texts, English. Sparse: nine in ten neurons stay at zero.</source>
        <translation>Setzt Texte fort, Englisch. Dünn besetzt: Neun von zehn Neuronen bleiben null.</translation>
    </message>
    <message>
        <source>Continues texts, English. Sparse.</source>
        <translation>Setzt Texte fort, Englisch. Dünn besetzt.</translation>
    </message>
    <message>
        <source>Continues texts, English. Sparse, and large: it streams from disk on most computers.</source>
        <translation>Setzt Texte fort, Englisch. Dünn besetzt und groß: Auf den meisten Computern wird vom Datenträger gelesen.</translation>
    </message>
    <message>
        <source>Small and quick. Chat in eight languages.</source>
        <translation>Klein und schnell. Chat in acht Sprachen.</translation>
    </message>
    <message>
        <source>The same with less rounding.</source>
        <translation>Dasselbe mit weniger Rundung.</translation>
    </message>
    <message>
        <source>Chat in eight languages.</source>
        <translation>Chat in acht Sprachen.</translation>
    </message>
    <message>
        <source>The smallest of its family: for a first try and for computers with little memory. Chat in many languages.</source>
        <translation>Das kleinste der Familie: für einen ersten Versuch und für Computer mit wenig Arbeitsspeicher. Chat in vielen Sprachen.</translation>
    </message>
    <message>
        <source>Small and quick. Chat in many languages; thinks first where it is asked to.</source>
        <translation>Klein und schnell. Chat in vielen Sprachen; denkt auf Wunsch zuerst nach.</translation>
    </message>
    <message>
        <source>For every day. Chat in many languages; thinks first where it is asked to.</source>
        <translation>Für den Alltag. Chat in vielen Sprachen; denkt auf Wunsch zuerst nach.</translation>
    </message>
    <message>
        <source>For graphics cards with 8 GB, or 16 GB of memory. Chat in many languages; thinks first where it is asked to.</source>
        <translation>Für Grafikkarten mit 8 GB oder 16 GB Arbeitsspeicher. Chat in vielen Sprachen; denkt auf Wunsch zuerst nach.</translation>
    </message>
    <message>
        <source>Large: for graphics cards with 24 GB. It answers slowly elsewhere.</source>
        <translation>Groß: für Grafikkarten mit 24 GB. Sonst antwortet es langsam.</translation>
    </message>
    <message>
        <source>Small: much of it stays on disk. Chat in many languages.</source>
        <translation>Klein: Vieles davon bleibt auf dem Datenträger. Chat in vielen Sprachen.</translation>
    </message>
    <message>
        <source>For every day: much of it stays on disk. Chat in many languages.</source>
        <translation>Für den Alltag: Vieles davon bleibt auf dem Datenträger. Chat in vielen Sprachen.</translation>
    </message>
    <message>
        <source>For graphics cards with 12 GB, or 16 GB of memory. Chat in many languages.</source>
        <translation>Für Grafikkarten mit 12 GB oder 16 GB Arbeitsspeicher. Chat in vielen Sprachen.</translation>
    </message>
    <message>
        <source>A mixture of experts for 24 GB of memory, or less beside a graphics card: each word reads a fifth of it.</source>
        <translation>Eine Mischung von Experten für 24 GB Arbeitsspeicher, neben einer Grafikkarte weniger: Jedes Wort liest ein Fünftel davon.</translation>
    </message>
    <message>
        <source>A mixture of experts for 32 GB of memory, or less beside a graphics card: each word reads a sixth of it.</source>
        <translation>Eine Mischung von Experten für 32 GB Arbeitsspeicher, neben einer Grafikkarte weniger: Jedes Wort liest ein Sechstel davon.</translation>
    </message>
    <message>
        <source>A mixture of experts for 48 GB of memory, or 24 GB beside a graphics card with 12 GB: each word reads a tenth of it.</source>
        <translation>Eine Mischung von Experten für 48 GB Arbeitsspeicher oder 24 GB neben einer Grafikkarte mit 12 GB: Jedes Wort liest ein Zehntel davon.</translation>
    </message>
    <message>
        <source>Chat in six languages; thinks first unless it is told not to.</source>
        <translation>Chat in sechs Sprachen; denkt zuerst nach, wenn nichts anderes gewünscht ist.</translation>
    </message>
    <message>
        <source>For every day, without thinking. Chat in many languages.</source>
        <translation>Für den Alltag, ohne Nachdenken. Chat in vielen Sprachen.</translation>
    </message>
    <message>
        <source>The smallest: for a first try, and for computers with little memory. Chat in many languages.</source>
        <translation>Das kleinste: für einen ersten Versuch und für Computer mit wenig Arbeitsspeicher. Chat in vielen Sprachen.</translation>
    </message>
    <message>
        <source>Small and quick. Chat in many languages.</source>
        <translation>Klein und schnell. Chat in vielen Sprachen.</translation>
    </message>
    <message>
        <source>Chat and code.</source>
        <translation>Chat und Code.</translation>
    </message>
    <message>
        <source>Chat, with a long context.</source>
        <translation>Chat, mit langem Kontext.</translation>
    </message>
    <message>
        <source>Chat, English.</source>
        <translation>Chat, Englisch.</translation>
    </message>
</context>
<context>
    <name>ChatFiles</name>
    <message>
        <source>There is no chat in it that Hearth can read.</source>
        <translation>Darin ist kein Chat, den Hearth lesen kann.</translation>
    </message>
    <message>
        <source>The archive is damaged.</source>
        <translation>Das Archiv ist beschädigt.</translation>
    </message>
    <message>
        <source>The archive has too many files.</source>
        <translation>Das Archiv enthält zu viele Dateien.</translation>
    </message>
    <message>
        <source>It is too large: Hearth reads chats from files of up to 512 MB.</source>
        <translation>Sie ist zu groß: Hearth liest Chats aus Dateien bis 512 MB.</translation>
    </message>
    <message>
        <source>It cannot be read: %1.</source>
        <translation>Sie ist nicht lesbar: %1.</translation>
    </message>
    <message>
        <source>Hearth reads chats of GPT4All 3.5 and later, without calls of tools.</source>
        <translation>Hearth liest Chats von GPT4All ab Version 3.5, ohne Werkzeugaufrufe.</translation>
    </message>
    <message>
        <source>The archive could not be written: %1</source>
        <translation>Das Archiv konnte nicht geschrieben werden: %1</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>Es wurde angehalten.</translation>
    </message>
</context>
<context>
    <name>ChatMarkdown</name>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>Anweisungen</translation>
    </message>
    <message>
        <source>Project: %1</source>
        <translation>Projekt: %1</translation>
    </message>
    <message>
        <source>Attached: %1</source>
        <translation>Angehängt: %1</translation>
    </message>
</context>
<context>
    <name>ChatMenu</name>
    <message>
        <source>Unpin</source>
        <translation>Nicht mehr anheften</translation>
    </message>
    <message>
        <source>Pin to the top</source>
        <translation>Oben anheften</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>F2</source>
        <translation>F2</translation>
    </message>
    <message>
        <source>Instructions…</source>
        <translation>Anweisungen …</translation>
    </message>
    <message>
        <source>Move to a project…</source>
        <translation>In ein Projekt verschieben …</translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation>Als Markdown exportieren …</translation>
    </message>
    <message>
        <source>Export as JSON…</source>
        <translation>Als JSON exportieren …</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Entf</translation>
    </message>
</context>
<context>
    <name>ChatStream</name>
    <message>
        <source>The server sent more than an answer can have.</source>
        <translation>Der Server hat mehr gesendet, als eine Antwort haben kann.</translation>
    </message>
    <message>
        <source>The server sent something that is no answer of a model.</source>
        <translation>Der Server hat etwas gesendet, das keine Antwort eines Modells ist.</translation>
    </message>
    <message>
        <source>The server failed and does not say why.</source>
        <translation>Der Server ist gescheitert und sagt nicht, warum.</translation>
    </message>
    <message>
        <source>The server sent more calls of tools than an answer can have.</source>
        <translation>Der Server hat mehr Werkzeugaufrufe gesendet, als eine Antwort haben kann.</translation>
    </message>
    <message>
        <source>The server sent a call of a tool that has no usable name.</source>
        <translation>Der Server hat einen Werkzeugaufruf ohne brauchbaren Namen gesendet.</translation>
    </message>
    <message>
        <source>The connection ended before the answer was complete.</source>
        <translation>Die Verbindung endete, bevor die Antwort vollständig war.</translation>
    </message>
    <message>
        <source>A filter of the server ended this answer.</source>
        <translation>Ein Filter des Servers hat diese Antwort beendet.</translation>
    </message>
</context>
<context>
    <name>ChatView</name>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>Jump to the latest</source>
        <translation>Zum Neuesten springen</translation>
    </message>
</context>
<context>
    <name>ChoiceRow</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>This chat can only be read</source>
        <translation>Dieser Chat kann nur gelesen werden</translation>
    </message>
    <message>
        <source>You can write while the model loads</source>
        <translation>Während das Modell lädt, kann schon geschrieben werden</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>Nachricht schreiben</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>Enter sends, Shift and Enter start a new line</source>
        <translation>Eingabe sendet, Umschalt und Eingabe beginnt eine neue Zeile</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>Nachricht senden</translation>
    </message>
    <message>
        <source>Stop  ·  Esc</source>
        <translation>Anhalten  ·  Esc</translation>
    </message>
    <message>
        <source>Send  ·  Enter</source>
        <translation>Senden  ·  Eingabe</translation>
    </message>
    <message>
        <source>Attach a file</source>
        <translation>Datei anhängen</translation>
    </message>
    <message>
        <source>Nothing can be sent now: these chats can only be read.</source>
        <translation>Jetzt kann nichts gesendet werden: Diese Chats können nur gelesen werden.</translation>
    </message>
    <message>
        <source>Answers can be wrong. Tools get what you allow.</source>
        <translation>Antworten können falsch sein. Werkzeuge erhalten nur Erlaubtes.</translation>
    </message>
    <message>
        <source>Answers can be wrong. Everything stays on this computer.</source>
        <translation>Antworten können falsch sein. Alles bleibt auf diesem Computer.</translation>
    </message>
    <message>
        <source>Answers can be wrong. Words go to %1. Tools get what you allow.</source>
        <translation>Antworten können falsch sein. Texte gehen an %1. Werkzeuge bekommen, was erlaubt ist.</translation>
    </message>
    <message>
        <source>Answers can be wrong. Words go to %1.</source>
        <translation>Antworten können falsch sein. Texte gehen an %1.</translation>
    </message>
</context>
<context>
    <name>ConversationDelegate</name>
    <message>
        <source>Project %1</source>
        <translation>Projekt %1</translation>
    </message>
    <message>
        <source>Chats: %1, folded</source>
        <translation>Chats: %1, zugeklappt</translation>
    </message>
    <message>
        <source>Chats: %1</source>
        <translation>Chats: %1</translation>
    </message>
    <message>
        <source>Is being answered. %1</source>
        <translation>Wird beantwortet. %1</translation>
    </message>
    <message>
        <source>Waits to be answered. %1</source>
        <translation>Wartet auf Antwort. %1</translation>
    </message>
    <message>
        <source>New title</source>
        <translation>Neuer Titel</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>F2</source>
        <translation>F2</translation>
    </message>
    <message>
        <source>Rename %1</source>
        <translation>%1 umbenennen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Entf</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>More for %1</source>
        <translation>Mehr für %1</translation>
    </message>
</context>
<context>
    <name>ConversationSidebar</name>
    <message>
        <source>Hearth</source>
        <translation>Hearth</translation>
    </message>
    <message>
        <source>Hide the list of chats</source>
        <translation>Chatliste ausblenden</translation>
    </message>
    <message>
        <source>Ctrl+B</source>
        <translation>Strg+B</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Ctrl+N</source>
        <translation>Strg+N</translation>
    </message>
    <message>
        <source>New project</source>
        <translation>Neues Projekt</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>Alle Chats durchsuchen</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>Chats</translation>
    </message>
    <message>
        <source>Your chats will be kept here.</source>
        <translation>Hier werden die Chats aufbewahrt.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo the deletion</source>
        <translation>Löschen rückgängig machen</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Settings and help</source>
        <translation>Einstellungen und Hilfe</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Ctrl+J</source>
        <translation>Strg+J</translation>
    </message>
    <message>
        <source>Search the chats of %1</source>
        <translation>Chats von %1 durchsuchen</translation>
    </message>
    <message>
        <source>Search all chats again</source>
        <translation>Wieder alle Chats durchsuchen</translation>
    </message>
</context>
<context>
    <name>ConversationStore</name>
    <message>
        <source>The file with your conversations was damaged. It was kept as %1.</source>
        <translation>Die Datei mit den Chats war beschädigt. Sie wurde als %1 aufbewahrt.</translation>
    </message>
    <message>
        <source>No chat in it could be read; a new file was started.</source>
        <translation>Kein Chat darin war lesbar; eine neue Datei wurde begonnen.</translation>
    </message>
    <message numerus="yes">
        <source>%n chats could be read and are in a new file.</source>
        <translation>
            <numerusform>Ein Chat war lesbar und liegt in einer neuen Datei.</numerusform>
            <numerusform>%n Chats waren lesbar und liegen in einer neuen Datei.</numerusform>
        </translation>
    </message>
    <message>
        <source>Other chats, or parts of these, are lost.</source>
        <translation>Andere Chats oder Teile von diesen sind verloren.</translation>
    </message>
    <message>
        <source>The folder %1 cannot be written.</source>
        <translation>In den Ordner %1 kann nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>Hearth is open in another window. This one shows your conversations and changes nothing; use the other one, or close both and start again.</source>
        <translation>Hearth ist in einem anderen Fenster geöffnet. Dieses zeigt die Chats und ändert nichts; bitte das andere benutzen oder beide schließen und neu starten.</translation>
    </message>
    <message>
        <source>The file with your conversations, %1, is damaged and could not be moved.</source>
        <translation>Die Datei mit den Chats, %1, ist beschädigt und konnte nicht verschoben werden.</translation>
    </message>
    <message>
        <source>Your conversations were saved by a newer version of Hearth. You can read them here; to go on, install the newer version.</source>
        <translation>Die Chats wurden von einer neueren Version von Hearth gespeichert. Hier können sie gelesen werden; zum Weiterschreiben bitte die neuere Version installieren.</translation>
    </message>
    <message>
        <source>The disk is full. Your conversations are here, but nothing can be added until there is some room.</source>
        <translation>Der Datenträger ist voll. Die Chats sind da, aber ohne freien Platz kann nichts hinzukommen.</translation>
    </message>
    <message>
        <source>The database of this system does not work.</source>
        <translation>Die Datenbank dieses Systems funktioniert nicht.</translation>
    </message>
    <message>
        <source>Messages you write now are lost when Hearth ends. Mend this, then start Hearth again.</source>
        <translation>Jetzt geschriebene Nachrichten gehen verloren, wenn Hearth endet. Bitte das Problem beheben und Hearth neu starten.</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>What happened last time</source>
        <translation>Vorfall beim letzten Mal</translation>
    </message>
    <message>
        <source>Hearth ended unexpectedly. This is the whole report; it has no word of your chats, and nothing was sent. If you send it to the makers of Hearth, it helps them to find the fault.</source>
        <translation>Hearth wurde unerwartet beendet. Dies ist der ganze Bericht; er enthält kein Wort aus den Chats, und nichts wurde gesendet. Den Entwicklern von Hearth hilft er, den Fehler zu finden.</translation>
    </message>
    <message>
        <source>The report</source>
        <translation>Der Bericht</translation>
    </message>
    <message>
        <source>It lies in %1</source>
        <translation>Er liegt in %1</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the report</source>
        <translation>Bericht kopieren</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Delete the report</source>
        <translation>Bericht löschen</translation>
    </message>
</context>
<context>
    <name>Dialogs</name>
    <message>
        <source>Licences</source>
        <translation>Lizenzen</translation>
    </message>
    <message>
        <source>Attach a file</source>
        <translation>Datei anhängen</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>Anhängen</translation>
    </message>
    <message>
        <source>Export all chats into a folder</source>
        <translation>Alle Chats in einen Ordner exportieren</translation>
    </message>
    <message>
        <source>Export the chat into a folder</source>
        <translation>Chat in einen Ordner exportieren</translation>
    </message>
    <message>
        <source>Export here</source>
        <translation>Hierher exportieren</translation>
    </message>
    <message>
        <source>Import chats of Hearth, ChatGPT, LM Studio, Jan or GPT4All</source>
        <translation>Chats von Hearth, ChatGPT, LM Studio, Jan oder GPT4All importieren</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>A folder for this project</source>
        <translation>Ein Ordner für dieses Projekt</translation>
    </message>
    <message>
        <source>Use this folder</source>
        <translation>Diesen Ordner verwenden</translation>
    </message>
    <message>
        <source>Add a file to this project</source>
        <translation>Datei zu diesem Projekt hinzufügen</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>A folder for the tools of this chat</source>
        <translation>Ein Ordner für die Werkzeuge dieses Chats</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>Modell öffnen</translation>
    </message>
</context>
<context>
    <name>DiskTrouble</name>
    <message>
        <source>The disk is full. Make room on it, then go on; nothing is lost.</source>
        <translation>Der Datenträger ist voll. Bitte Platz schaffen und dann fortfahren; nichts ist verloren.</translation>
    </message>
    <message>
        <source>This disk cannot hold a file so large. Choose a folder on another one.</source>
        <translation>Dieser Datenträger fasst keine so große Datei. Bitte einen Ordner auf einem anderen wählen.</translation>
    </message>
    <message>
        <source>The folder cannot be written (%1). Choose another one, or allow this one to be written.</source>
        <translation>In den Ordner kann nicht geschrieben werden (%1). Bitte einen anderen wählen oder das Schreiben erlauben.</translation>
    </message>
</context>
<context>
    <name>DocumentDialog</name>
    <message>
        <source>Text of %1</source>
        <translation>Text von %1</translation>
    </message>
    <message>
        <source>Used for the answer: %1</source>
        <translation>Für die Antwort verwendet: %1</translation>
    </message>
</context>
<context>
    <name>Documents</name>
    <message>
        <source>The text of %1 could not be kept: the disk is full, or its folder cannot be written.</source>
        <translation>Der Text von %1 konnte nicht aufbewahrt werden: Der Datenträger ist voll, oder in den Ordner kann nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>%1 cannot be opened: it is gone, or you may not read it.</source>
        <translation>%1 lässt sich nicht öffnen: Die Datei ist weg, oder die Leserechte fehlen.</translation>
    </message>
    <message>
        <source>%1 is not a file. Attach the files in it one by one.</source>
        <translation>%1 ist keine Datei. Bitte die Dateien darin einzeln anhängen.</translation>
    </message>
    <message>
        <source>%1 is of a kind that Hearth does not read. It reads text, code, Markdown, PDF, docx and odt.</source>
        <translation>%1 ist von einer Art, die Hearth nicht liest. Lesbar sind Text, Code, Markdown, PDF, docx und odt.</translation>
    </message>
    <message>
        <source>%1 is damaged: no text could be read from it.</source>
        <translation>%1 ist beschädigt: Es ließ sich kein Text daraus lesen.</translation>
    </message>
    <message>
        <source>%1 is protected by a password. Save a copy without one, and attach that.</source>
        <translation>%1 ist durch ein Passwort geschützt. Bitte eine Kopie ohne Passwort speichern und anhängen.</translation>
    </message>
    <message>
        <source>%1 has no text in it: it is empty, or its pages are pictures.</source>
        <translation>%1 enthält keinen Text: Die Datei ist leer, oder ihre Seiten sind Bilder.</translation>
    </message>
    <message>
        <source>%1 was not read: that took too much time or memory. It may be damaged.</source>
        <translation>%1 wurde nicht gelesen: Es dauerte zu lange oder brauchte zu viel Speicher. Vielleicht ist die Datei beschädigt.</translation>
    </message>
</context>
<context>
    <name>DownloadDelegate</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1: %2. %3</source>
        <translation>%1: %2. %3</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausieren</translation>
    </message>
    <message>
        <source>Pause %1</source>
        <translation>%1 pausieren</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo: go on with %1</source>
        <translation>Rückgängig: %1 fortsetzen</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>%1 verwenden</translation>
    </message>
    <message>
        <source>Show its folder</source>
        <translation>Ordner zeigen</translation>
    </message>
    <message>
        <source>Show the folder of %1</source>
        <translation>Ordner von %1 zeigen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel %1</source>
        <translation>%1 abbrechen</translation>
    </message>
    <message>
        <source>Take it off the list</source>
        <translation>Aus der Liste nehmen</translation>
    </message>
    <message>
        <source>Take %1 off the list</source>
        <translation>%1 aus der Liste nehmen</translation>
    </message>
    <message>
        <source>%1 · licence: %2</source>
        <translation>%1 · Lizenz: %2</translation>
    </message>
</context>
<context>
    <name>Downloads</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>tries again in %1 s</source>
        <translation>neuer Versuch in %1 s</translation>
    </message>
    <message>
        <source>tries again in %1 min</source>
        <translation>neuer Versuch in %1 min</translation>
    </message>
    <message>
        <source>waits for its turn</source>
        <translation>wartet, bis es an der Reihe ist</translation>
    </message>
    <message>
        <source>connecting</source>
        <translation>verbindet</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>Checks the part on the disk: %1 %</source>
        <translation>Prüft den Teil auf dem Datenträger: %1 %</translation>
    </message>
    <message>
        <source>Checks the whole file: %1 %</source>
        <translation>Prüft die ganze Datei: %1 %</translation>
    </message>
    <message>
        <source>Looks for the damaged part: %1 %</source>
        <translation>Sucht den beschädigten Teil: %1 %</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>checked by its SHA-256</source>
        <translation>über SHA-256 geprüft</translation>
    </message>
    <message>
        <source>not verified: its SHA-256 is not known</source>
        <translation>nicht geprüft: SHA-256 unbekannt</translation>
    </message>
    <message>
        <source>Cancelled. The downloaded part will be deleted.</source>
        <translation>Abgebrochen. Der heruntergeladene Teil wird gelöscht.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>There is no file to download.</source>
        <translation>Es gibt keine Datei zum Herunterladen.</translation>
    </message>
    <message>
        <source>Choose a folder for it.</source>
        <translation>Bitte einen Ordner dafür wählen.</translation>
    </message>
    <message>
        <source>“%1” cannot be the name of a file.</source>
        <translation>„%1“ kann kein Dateiname sein.</translation>
    </message>
    <message>
        <source>The address of %1 is not that of a web server.</source>
        <translation>Die Adresse von %1 ist keine eines Webservers.</translation>
    </message>
    <message>
        <source>What is said of %1 makes no sense.</source>
        <translation>Die Angaben zu %1 ergeben keinen Sinn.</translation>
    </message>
    <message>
        <source>Two files of it have the same name: %1.</source>
        <translation>Zwei Dateien davon haben denselben Namen: %1.</translation>
    </message>
    <message>
        <source>The server&apos;s file has %1 bytes instead of %2. It is not the file you chose.</source>
        <translation>Die Datei des Servers hat %1 Bytes statt %2. Sie ist nicht die gewählte Datei.</translation>
    </message>
    <message>
        <source>The server&apos;s file has %1 instead of about %2. It is not the file you chose.</source>
        <translation>Die Datei des Servers hat %1 statt etwa %2. Sie ist nicht die gewählte Datei.</translation>
    </message>
    <message>
        <source>The server says that its file has another SHA-256 than was promised. It is not the file you chose.</source>
        <translation>Der Server nennt für die Datei ein anderes SHA-256 als angekündigt. Sie ist nicht die gewählte Datei.</translation>
    </message>
    <message>
        <source>The server&apos;s file is no model, whatever it is called.</source>
        <translation>Die Datei des Servers ist kein Modell, wie auch immer sie heißt.</translation>
    </message>
    <message>
        <source>The model on the server is cut off: its header ends in the middle.</source>
        <translation>Das Modell auf dem Server ist abgeschnitten: Sein Kopf endet mittendrin.</translation>
    </message>
    <message>
        <source>The server&apos;s file does not say its architecture, which should be %1. It is not the file you chose.</source>
        <translation>Die Datei des Servers nennt keine Architektur; es sollte %1 sein. Sie ist nicht die gewählte Datei.</translation>
    </message>
    <message>
        <source>The server&apos;s file is a model of the architecture %1 instead of %2. It is not the file you chose.</source>
        <translation>Die Datei des Servers ist ein Modell der Architektur %1 statt %2. Sie ist nicht die gewählte Datei.</translation>
    </message>
    <message>
        <source>The list of downloads could not be read. It is kept as %1.</source>
        <translation>Die Liste der Downloads war nicht lesbar. Sie ist als %1 aufbewahrt.</translation>
    </message>
    <message>
        <source>Part of the list of downloads made no sense and was left out.</source>
        <translation>Ein Teil der Liste der Downloads ergab keinen Sinn und wurde ausgelassen.</translation>
    </message>
    <message>
        <source>The list of downloads could not be kept (%1).</source>
        <translation>Die Liste der Downloads konnte nicht gespeichert werden (%1).</translation>
    </message>
    <message>
        <source>%1 s left</source>
        <translation>noch %1 s</translation>
    </message>
    <message>
        <source>%1 min left</source>
        <translation>noch %1 min</translation>
    </message>
    <message>
        <source>%1 h %2 min left</source>
        <translation>noch %1 h %2 min</translation>
    </message>
    <message numerus="yes">
        <source>%n days left</source>
        <translation>
            <numerusform>noch %n Tag</numerusform>
            <numerusform>noch %n Tage</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DownloadsDialog</name>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Nothing is being downloaded. Your downloads appear here, and continue after an interruption.</source>
        <translation>Nichts wird heruntergeladen. Downloads erscheinen hier und gehen nach einer Unterbrechung weiter.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>EmptyState</name>
    <message>
        <source>What would you like to talk about?</source>
        <translation>Worüber möchten Sie sprechen?</translation>
    </message>
    <message>
        <source>Hearth runs on your own computer. Ask something, or begin with one of these.</source>
        <translation>Hearth läuft auf dem eigenen Computer. Einfach etwas fragen oder hiermit beginnen.</translation>
    </message>
    <message>
        <source>Who are you?</source>
        <translation>Wer bist du?</translation>
    </message>
    <message>
        <source>Tell me a short story.</source>
        <translation>Erzähl mir eine kurze Geschichte.</translation>
    </message>
    <message>
        <source>Why is the sky blue?</source>
        <translation>Warum ist der Himmel blau?</translation>
    </message>
    <message>
        <source>What is the capital of France?</source>
        <translation>Wie heißt die Hauptstadt von Frankreich?</translation>
    </message>
</context>
<context>
    <name>ErrorText</name>
    <message>
        <source>the file</source>
        <translation>die Datei</translation>
    </message>
    <message>
        <source>There is no file %1. It may have been moved or deleted; choose another one.</source>
        <translation>Die Datei %1 gibt es nicht. Vielleicht wurde sie verschoben oder gelöscht; bitte eine andere wählen.</translation>
    </message>
    <message>
        <source>%1 is a folder or a device, not a model. Choose a .gguf file.</source>
        <translation>%1 ist ein Ordner oder Gerät und kein Modell. Bitte eine .gguf-Datei wählen.</translation>
    </message>
    <message>
        <source>%1 cannot be read: its permissions forbid it. Change them, or choose another file.</source>
        <translation>%1 ist nicht lesbar: Die Zugriffsrechte verbieten es. Bitte die Rechte ändern oder eine andere Datei wählen.</translation>
    </message>
    <message>
        <source>%1 could not be read to its end. Check the disk it lies on, then try again.</source>
        <translation>%1 ließ sich nicht bis zum Ende lesen. Bitte den Datenträger prüfen und es erneut versuchen.</translation>
    </message>
    <message>
        <source>%1 could not be written. Check the folder&apos;s permissions.</source>
        <translation>%1 konnte nicht geschrieben werden. Bitte die Rechte des Ordners prüfen.</translation>
    </message>
    <message>
        <source>The disk is full. Make some room on it, then try again.</source>
        <translation>Der Datenträger ist voll. Bitte Platz schaffen und es erneut versuchen.</translation>
    </message>
    <message>
        <source>%1 is not a whole GGUF model: it is damaged, cut off or something else. Download it again, or choose another file.</source>
        <translation>%1 ist kein vollständiges GGUF-Modell: Die Datei ist beschädigt, abgeschnitten oder etwas anderes. Bitte neu herunterladen oder eine andere Datei wählen.</translation>
    </message>
    <message>
        <source>%1 is no model to chat with: %2. Choose another one.</source>
        <translation>%1 ist kein Modell zum Chatten: %2. Bitte ein anderes wählen.</translation>
    </message>
    <message>
        <source>%1 is a model this version cannot run yet (%2). Choose another one.</source>
        <translation>%1 ist ein Modell, das diese Version noch nicht ausführen kann (%2). Bitte ein anderes wählen.</translation>
    </message>
    <message>
        <source>There is not enough memory for this. Close other programs, or choose a smaller model.</source>
        <translation>Dafür reicht der Arbeitsspeicher nicht. Bitte andere Programme schließen oder ein kleineres Modell wählen.</translation>
    </message>
    <message>
        <source>This model needs more memory than there is (%1). Close other programs, or choose a smaller model.</source>
        <translation>Dieses Modell braucht mehr Arbeitsspeicher als vorhanden (%1). Bitte andere Programme schließen oder ein kleineres Modell wählen.</translation>
    </message>
    <message>
        <source>This message is longer than the model can take in. Shorten it, or choose a model with a larger context.</source>
        <translation>Diese Nachricht ist länger, als das Modell aufnehmen kann. Bitte kürzen oder ein Modell mit größerem Kontext wählen.</translation>
    </message>
    <message>
        <source>The graphics card stopped answering (%1).</source>
        <translation>Die Grafikkarte antwortet nicht mehr (%1).</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>Es wurde angehalten.</translation>
    </message>
    <message>
        <source>The mode “Predicted” needs predictors, and this model has none. Choose a file with predictors in the settings, or choose another mode.</source>
        <translation>Der Modus „Vorhergesagt“ braucht Prädiktoren, und dieses Modell hat keine. Bitte in den Einstellungen eine Datei mit Prädiktoren oder einen anderen Modus wählen.</translation>
    </message>
    <message>
        <source>The mode “Predicted” must know the input of the model&apos;s predictors, and the file does not name it. Set it in the settings, or choose another mode.</source>
        <translation>Der Modus „Vorhergesagt“ muss die Eingabe der Prädiktoren kennen, und die Datei nennt sie nicht. Bitte in den Einstellungen festlegen oder einen anderen Modus wählen.</translation>
    </message>
    <message>
        <source>The mode “Approximate” needs a file of thresholds for this model. Choose one in the settings, or another mode.</source>
        <translation>Der Modus „Angenähert“ braucht für dieses Modell eine Datei mit Schwellenwerten. Bitte in den Einstellungen eine wählen oder einen anderen Modus.</translation>
    </message>
    <message>
        <source>This model cannot run in that mode: %1.</source>
        <translation>Dieses Modell läuft in diesem Modus nicht: %1.</translation>
    </message>
    <message>
        <source>The settings do not fit this model or this computer: %1.</source>
        <translation>Die Einstellungen passen nicht zu diesem Modell oder Computer: %1.</translation>
    </message>
    <message>
        <source>The engine made a mistake (%1). Load the model again; if it happens again, please report it with the log file.</source>
        <translation>In der Engine ist ein Fehler aufgetreten (%1). Bitte das Modell neu laden; tritt er wieder auf, bitte mit der Protokolldatei melden.</translation>
    </message>
    <message>
        <source>That is too little memory for this model (%1). It keeps the memory that it had.</source>
        <translation>Das ist zu wenig Speicher für dieses Modell (%1). Es behält, was es hatte.</translation>
    </message>
    <message>
        <source>The folder %1 does not exist or cannot be written. Check it, or choose another folder for downloads in the settings.</source>
        <translation>Der Ordner %1 fehlt oder ist nicht beschreibbar. Bitte prüfen oder in den Einstellungen einen anderen Ordner für Downloads wählen.</translation>
    </message>
    <message>
        <source>“%1” was changed, moved or deleted while it was copied, so the copy was removed. Try again when nothing changes the file.</source>
        <translation>„%1“ wurde beim Kopieren geändert, verschoben oder gelöscht; die Kopie wurde entfernt. Bitte erneut versuchen, wenn nichts die Datei ändert.</translation>
    </message>
    <message>
        <source>Another program is preparing this model already.</source>
        <translation>Ein anderes Programm bereitet dieses Modell bereits vor.</translation>
    </message>
    <message>
        <source>The disk returned other data than were written, so the copy was removed. The disk may be failing: save your files from it.</source>
        <translation>Der Datenträger lieferte andere Daten, als geschrieben wurden; die Kopie wurde entfernt. Er ist vielleicht defekt: Bitte die Dateien darauf sichern.</translation>
    </message>
    <message>
        <source>This model cannot be prepared: %1.</source>
        <translation>Dieses Modell lässt sich nicht vorbereiten: %1.</translation>
    </message>
</context>
<context>
    <name>ExpertShares</name>
    <message>
        <source>under 1 %</source>
        <translation>unter 1 %</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 graphics card</source>
        <translation>%1 Grafikkarte</translation>
    </message>
    <message>
        <source>%1 memory</source>
        <translation>%1 Arbeitsspeicher</translation>
    </message>
    <message>
        <source>%1 disk</source>
        <translation>%1 Datenträger</translation>
    </message>
</context>
<context>
    <name>FilePicker</name>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>To the folder above</source>
        <translation>Zum übergeordneten Ordner</translation>
    </message>
    <message>
        <source>Backspace</source>
        <translation>Rücktaste</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>Pfad</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Folders and models</source>
        <translation>Ordner und Modelle</translation>
    </message>
    <message>
        <source>Folders and files</source>
        <translation>Ordner und Dateien</translation>
    </message>
    <message>
        <source>%1, a folder</source>
        <translation>%1, ein Ordner</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>FirstModel</name>
    <message>
        <source>The model that was used last is not there any more: %1.</source>
        <translation>Das zuletzt benutzte Modell ist nicht mehr da: %1.</translation>
    </message>
    <message>
        <source>Open another one.</source>
        <translation>Bitte ein anderes öffnen.</translation>
    </message>
    <message>
        <source>The one that came with Hearth answers instead.</source>
        <translation>Stattdessen antwortet das mitgelieferte Modell.</translation>
    </message>
</context>
<context>
    <name>FitText</name>
    <message>
        <source>about %1 tokens/s</source>
        <translation>etwa %1 Token/s</translation>
    </message>
    <message>
        <source>%1 to %2 tokens/s</source>
        <translation>%1 bis %2 Token/s</translation>
    </message>
    <message>
        <source>Streams from disk: %1 do not fit in memory</source>
        <translation>Liest vom Datenträger: %1 passen nicht in den Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Fits partly on the graphics card: %1 there, %2 in memory</source>
        <translation>Passt teilweise auf die Grafikkarte: %1 dort, %2 im Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Fits: %1 on the graphics card</source>
        <translation>Passt: %1 auf der Grafikkarte</translation>
    </message>
    <message>
        <source>Fits: %1 of memory</source>
        <translation>Passt: %1 Arbeitsspeicher</translation>
    </message>
    <message>
        <source>experts: %1</source>
        <translation>Experten: %1</translation>
    </message>
    <message>
        <source>first word at once</source>
        <translation>erstes Wort sofort</translation>
    </message>
    <message>
        <source>first word after %1 s</source>
        <translation>erstes Wort nach %1 s</translation>
    </message>
    <message>
        <source>perhaps faster: the computer was busy when this was measured</source>
        <translation>vielleicht schneller: Der Computer war bei der Messung beschäftigt</translation>
    </message>
</context>
<context>
    <name>FolderScan</name>
    <message>
        <source>The folder “%1” is not there. Attach its disk, or take it off the list of folders.</source>
        <translation>Der Ordner „%1“ ist nicht da. Bitte den Datenträger anschließen oder den Ordner aus der Liste nehmen.</translation>
    </message>
    <message>
        <source>“%1” is not a folder. Take it off the list of folders.</source>
        <translation>„%1“ ist kein Ordner. Bitte aus der Liste der Ordner nehmen.</translation>
    </message>
    <message>
        <source>“%1” holds more than %2 files. Not all of them were looked at; name the folder inside it that has the models.</source>
        <translation>„%1“ enthält mehr als %2 Dateien. Nicht alle wurden betrachtet; bitte den Ordner darin nennen, der die Modelle enthält.</translation>
    </message>
    <message>
        <source>The folder “%1” is nested too deep and was left out.</source>
        <translation>Der Ordner „%1“ ist zu tief verschachtelt und wurde ausgelassen.</translation>
    </message>
    <message>
        <source>The folder “%1” cannot be read. Check its permissions.</source>
        <translation>Der Ordner „%1“ ist nicht lesbar. Bitte die Zugriffsrechte prüfen.</translation>
    </message>
    <message>
        <source>The folder “%1” could not be read to its end. Check the disk it lies on.</source>
        <translation>Der Ordner „%1“ ließ sich nicht bis zum Ende lesen. Bitte den Datenträger prüfen.</translation>
    </message>
</context>
<context>
    <name>FolderTools</name>
    <message>
        <source>There is no &quot;%1&quot; in the folder of this chat.</source>
        <translation>Im Ordner dieses Chats gibt es kein „%1“.</translation>
    </message>
    <message>
        <source>The file is larger than 16 MiB, too large to be read here.</source>
        <translation>Die Datei ist größer als 16 MiB, zu groß, um hier gelesen zu werden.</translation>
    </message>
    <message>
        <source>The file cannot be read: %1</source>
        <translation>Die Datei ist nicht lesbar: %1</translation>
    </message>
    <message>
        <source>The file is no text.</source>
        <translation>Die Datei ist kein Text.</translation>
    </message>
    <message>
        <source>Line %1 is too long to be shown.</source>
        <translation>Zeile %1 ist zu lang, um gezeigt zu werden.</translation>
    </message>
    <message>
        <source>[The file goes on at line %1.]</source>
        <translation>[Die Datei geht in Zeile %1 weiter.]</translation>
    </message>
    <message>
        <source>[There is nothing here.]</source>
        <translation>[Hier ist nichts.]</translation>
    </message>
    <message>
        <source>%1 (%2 bytes)</source>
        <translation>%1 (%2 Bytes)</translation>
    </message>
    <message>
        <source>[There are more.]</source>
        <translation>[Es gibt noch mehr.]</translation>
    </message>
    <message>
        <source>[The folder is empty.]</source>
        <translation>[Der Ordner ist leer.]</translation>
    </message>
    <message>
        <source>There is no text to search for.</source>
        <translation>Es gibt keinen Text, nach dem gesucht werden soll.</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>[The search ended here; there may be more.]</source>
        <translation>[Die Suche endete hier; es kann mehr geben.]</translation>
    </message>
    <message>
        <source>[Nothing was found.]</source>
        <translation>[Nichts gefunden.]</translation>
    </message>
</context>
<context>
    <name>ForecastCard</name>
    <message>
        <source>Forecast</source>
        <translation>Prognose</translation>
    </message>
    <message>
        <source>No model is open.</source>
        <translation>Kein Modell ist geöffnet.</translation>
    </message>
    <message>
        <source>%1 with these settings</source>
        <translation>%1 mit diesen Einstellungen</translation>
    </message>
    <message>
        <source>Calculating…</source>
        <translation>Wird berechnet …</translation>
    </message>
    <message>
        <source>Trying the graphics cards…</source>
        <translation>Grafikkarten werden erprobt …</translation>
    </message>
    <message>
        <source>Try the graphics cards again</source>
        <translation>Grafikkarten erneut erproben</translation>
    </message>
</context>
<context>
    <name>HubFileDelegate</name>
    <message>
        <source>Stop looking</source>
        <translation>Suche anhalten</translation>
    </message>
    <message>
        <source>How would it run here?</source>
        <translation>Wie liefe es hier?</translation>
    </message>
    <message>
        <source>Stop looking at %1</source>
        <translation>%1 nicht weiter betrachten</translation>
    </message>
    <message>
        <source>How would %1 run on this computer?</source>
        <translation>Wie liefe %1 auf diesem Computer?</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>Auf diesem Computer</translation>
    </message>
    <message>
        <source>Among the downloads</source>
        <translation>Unter den Downloads</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Download anyway</source>
        <translation>Trotzdem herunterladen</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1: %2, %3</translation>
    </message>
</context>
<context>
    <name>HubSearch</name>
    <message>
        <source>The hub&apos;s answer is too large. Try again later.</source>
        <translation>Die Antwort des Hubs ist zu groß. Bitte später erneut versuchen.</translation>
    </message>
    <message>
        <source>The hub&apos;s answer could not be read. Try again later; if a mirror is set, check its address in the settings.</source>
        <translation>Die Antwort des Hubs war nicht lesbar. Bitte später erneut versuchen; ist ein Spiegelserver eingestellt, bitte seine Adresse in den Einstellungen prüfen.</translation>
    </message>
    <message>
        <source>The hub&apos;s answer is no list of models. Try again later; if a mirror is set, it may have no search.</source>
        <translation>Die Antwort des Hubs ist keine Liste von Modellen. Bitte später erneut versuchen; ein eingestellter Spiegelserver hat vielleicht keine Suche.</translation>
    </message>
    <message>
        <source>The hub does not say which files %1 has. Try again later, or enter the address of a file.</source>
        <translation>Der Hub nennt die Dateien von %1 nicht. Bitte später erneut versuchen oder die Adresse einer Datei eingeben.</translation>
    </message>
</context>
<context>
    <name>HubSearchView</name>
    <message>
        <source>Search %1</source>
        <translation>%1 durchsuchen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Stop asking %1</source>
        <translation>Anfrage an %1 anhalten</translation>
    </message>
    <message>
        <source>Back to the results</source>
        <translation>Zurück zu den Treffern</translation>
    </message>
    <message>
        <source>Its page, in the browser</source>
        <translation>Die Seite im Browser</translation>
    </message>
    <message>
        <source>Open %1 in the browser</source>
        <translation>%1 im Browser öffnen</translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation>%1 wird gefragt …</translation>
    </message>
    <message>
        <source>Back to Hearth&apos;s list</source>
        <translation>Zurück zur Liste von Hearth</translation>
    </message>
</context>
<context>
    <name>InstructionsDialog</name>
    <message>
        <source>Instructions of this chat</source>
        <translation>Anweisungen dieses Chats</translation>
    </message>
    <message>
        <source>The model reads them before the new chat. Without any, those of the settings hold.</source>
        <translation>Das Modell liest sie vor dem neuen Chat. Ohne sie gelten die der Einstellungen.</translation>
    </message>
    <message>
        <source>The model reads them before the chat, from its next answer on.</source>
        <translation>Das Modell liest sie vor dem Chat, ab der nächsten Antwort.</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>LayerWords</name>
    <message>
        <source>under 0.1 %</source>
        <translation>unter 0,1 %</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 a second</source>
        <translation>%1 je Sekunde</translation>
    </message>
    <message>
        <source>A token chooses %1 of its %2 experts</source>
        <translation>Ein Token wählt %1 der %2 Experten</translation>
    </message>
    <message>
        <source>%1; those of the answers lay: %2.</source>
        <translation>%1; die der Antworten lagen: %2.</translation>
    </message>
    <message>
        <source>It has no feed-forward neurons.</source>
        <translation>Sie hat keine Feed-Forward-Neuronen.</translation>
    </message>
    <message>
        <source>Each token computes all of its %1 neurons.</source>
        <translation>Jedes Token berechnet alle %1 Neuronen.</translation>
    </message>
    <message>
        <source>It has %1 neurons; no answer has been counted yet.</source>
        <translation>Sie hat %1 Neuronen; noch keine Antwort wurde gezählt.</translation>
    </message>
    <message>
        <source>%1 of its %2 neurons fire for a token</source>
        <translation>%1 der %2 Neuronen feuern für ein Token</translation>
    </message>
    <message>
        <source>%1; all are computed, which is faster here.</source>
        <translation>%1; alle werden berechnet, das ist hier schneller.</translation>
    </message>
    <message>
        <source>Of the experts needed from the disk, memory already had %1.</source>
        <translation>Von den Experten, die vom Datenträger gebraucht wurden, lagen %1 schon im Arbeitsspeicher.</translation>
    </message>
    <message>
        <source>Of the neurons needed from the disk, memory already had %1.</source>
        <translation>Von den Neuronen, die vom Datenträger gebraucht wurden, lagen %1 schon im Arbeitsspeicher.</translation>
    </message>
    <message>
        <source>, %1 now</source>
        <translation>, jetzt %1</translation>
    </message>
    <message>
        <source>, %1 in the last answer</source>
        <translation>, %1 in der letzten Antwort</translation>
    </message>
    <message>
        <source>Layer %1 of %2.</source>
        <translation>Schicht %1 von %2.</translation>
    </message>
    <message>
        <source>Its weights, %1, lie: %2.</source>
        <translation>Ihre Gewichte, %1, liegen: %2.</translation>
    </message>
    <message>
        <source>Read from the disk so far: %1%2.</source>
        <translation>Bisher vom Datenträger gelesen: %1%2.</translation>
    </message>
    <message>
        <source>%1 graphics card</source>
        <translation>%1 Grafikkarte</translation>
    </message>
    <message>
        <source>%1 memory</source>
        <translation>%1 Arbeitsspeicher</translation>
    </message>
    <message>
        <source>%1 disk</source>
        <translation>%1 Datenträger</translation>
    </message>
    <message>
        <source>Weights of the layers: %1</source>
        <translation>Gewichte der Schichten: %1</translation>
    </message>
    <message>
        <source>The engine holds %1 of at most %2 memory</source>
        <translation>Die Engine belegt %1 von höchstens %2 Arbeitsspeicher</translation>
    </message>
    <message>
        <source>, %1 of at most %2 graphics memory</source>
        <translation>, %1 von höchstens %2 Grafikspeicher</translation>
    </message>
    <message>
        <source>; a new budget holds from the next token on</source>
        <translation>; ein neues Budget gilt ab dem nächsten Token</translation>
    </message>
    <message>
        <source>Chosen experts: no answer has been counted yet</source>
        <translation>Gewählte Experten: noch keine Antwort wurde gezählt</translation>
    </message>
    <message>
        <source>Chosen experts lay: %1</source>
        <translation>Gewählte Experten lagen: %1</translation>
    </message>
    <message>
        <source>Neurons that fire for a token: %1</source>
        <translation>Neuronen, die für ein Token feuern: %1</translation>
    </message>
    <message>
        <source>Each token computes all neurons</source>
        <translation>Jedes Token berechnet alle Neuronen</translation>
    </message>
    <message>
        <source>Neurons that fire: no answer has been counted yet</source>
        <translation>Feuernde Neuronen: noch keine Antwort wurde gezählt</translation>
    </message>
    <message>
        <source>Needed from the disk, and already in memory: %1</source>
        <translation>Vom Datenträger gebraucht und schon im Arbeitsspeicher: %1</translation>
    </message>
    <message>
        <source>Answers read nothing from the disk</source>
        <translation>Antworten lesen nichts vom Datenträger</translation>
    </message>
    <message>
        <source>Read from the disk: %1%2</source>
        <translation>Vom Datenträger gelesen: %1%2</translation>
    </message>
</context>
<context>
    <name>Licences</name>
    <message>
        <source>The licences cannot be read. Install Hearth again; they are in its file %1.</source>
        <translation>Die Lizenzen sind nicht lesbar. Bitte Hearth neu installieren; sie stehen in der Datei %1.</translation>
    </message>
</context>
<context>
    <name>LinkDialog</name>
    <message>
        <source>Open this address?</source>
        <translation>Diese Adresse öffnen?</translation>
    </message>
    <message>
        <source>Your browser or mail program would open it. It leads to %1.</source>
        <translation>Das Browser- oder Mailprogramm würde sie öffnen. Sie führt zu %1.</translation>
    </message>
    <message>
        <source>No program on this computer opens it. You can copy it.</source>
        <translation>Kein Programm auf diesem Computer öffnet sie. Sie lässt sich kopieren.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open the address</source>
        <translation>Adresse öffnen</translation>
    </message>
</context>
<context>
    <name>LongText</name>
    <message numerus="yes">
        <source>%1 characters, %Ln lines</source>
        <translation>
            <numerusform>%1 Zeichen in einer Zeile</numerusform>
            <numerusform>%1 Zeichen, %Ln Zeilen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LongTextDialog</name>
    <message>
        <source>Copy all of it</source>
        <translation>Alles kopieren</translation>
    </message>
</context>
<context>
    <name>Main</name>
    <message>
        <source>Hearth</source>
        <translation>Hearth</translation>
    </message>
    <message>
        <source>%1 — Hearth</source>
        <translation>%1 – Hearth</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>Modell öffnen …</translation>
    </message>
    <message>
        <source>Load it again</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
</context>
<context>
    <name>MessageActions</name>
    <message>
        <source>Older version</source>
        <translation>Ältere Version</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Version %1 of %2</source>
        <translation>Version %1 von %2</translation>
    </message>
    <message>
        <source>Newer version</source>
        <translation>Neuere Version</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy this message</source>
        <translation>Diese Nachricht kopieren</translation>
    </message>
    <message>
        <source>Copy this answer</source>
        <translation>Diese Antwort kopieren</translation>
    </message>
    <message>
        <source>Too long to edit here</source>
        <translation>Zu lang, um sie hier zu bearbeiten</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Edit this message</source>
        <translation>Diese Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>Erneut antworten</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>More for this message</source>
        <translation>Mehr zu dieser Nachricht</translation>
    </message>
    <message>
        <source>More for this answer</source>
        <translation>Mehr zu dieser Antwort</translation>
    </message>
</context>
<context>
    <name>MessageDelegate</name>
    <message>
        <source>You wrote</source>
        <translation>Sie schrieben</translation>
    </message>
    <message>
        <source>Hearth is answering</source>
        <translation>Hearth antwortet</translation>
    </message>
    <message>
        <source>Hearth will answer when the other chat is answered</source>
        <translation>Hearth antwortet, wenn der andere Chat beantwortet ist</translation>
    </message>
    <message>
        <source>Hearth answered</source>
        <translation>Hearth antwortete</translation>
    </message>
    <message>
        <source>Hearth</source>
        <translation>Hearth</translation>
    </message>
    <message>
        <source>Waiting until the other chat is answered…</source>
        <translation>Wartet, bis der andere Chat beantwortet ist …</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>Denkt nach …</translation>
    </message>
    <message>
        <source>Waiting for the model…</source>
        <translation>Wartet auf das Modell …</translation>
    </message>
    <message>
        <source>Show all: %1</source>
        <translation>Alles zeigen: %1</translation>
    </message>
    <message>
        <source>Nothing is sent yet.</source>
        <translation>Noch wird nichts gesendet.</translation>
    </message>
</context>
<context>
    <name>MessageEditor</name>
    <message>
        <source>Edit your message</source>
        <translation>Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Enter asks again, Escape leaves it as it was</source>
        <translation>Eingabe fragt erneut, Esc lässt alles, wie es war</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>Erneut fragen</translation>
    </message>
</context>
<context>
    <name>MessageMenu</name>
    <message>
        <source>Copy as Markdown</source>
        <translation>Als Markdown kopieren</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>Als Text kopieren</translation>
    </message>
</context>
<context>
    <name>MessageStatus</name>
    <message>
        <source>The answer failed.</source>
        <translation>Die Antwort ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Hearth was closed before this answer was finished.</source>
        <translation>Hearth wurde geschlossen, bevor diese Antwort fertig war.</translation>
    </message>
    <message>
        <source>You stopped this answer.</source>
        <translation>Diese Antwort wurde angehalten.</translation>
    </message>
    <message>
        <source>This answer ended at the limit of tokens.</source>
        <translation>Diese Antwort endete an der Token-Grenze.</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Continue this answer</source>
        <translation>Diese Antwort fortsetzen</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
</context>
<context>
    <name>ModelBin</name>
    <message>
        <source>“%1” could not be moved to the bin of the system. It stays where it is.</source>
        <translation>„%1“ konnte nicht in den Papierkorb verschoben werden. Die Datei bleibt, wo sie ist.</translation>
    </message>
    <message>
        <source>“%1” is not there any more.</source>
        <translation>„%1“ ist nicht mehr da.</translation>
    </message>
    <message>
        <source>“%1” stays in the bin: another file has its name by now.</source>
        <translation>„%1“ bleibt im Papierkorb: Inzwischen trägt eine andere Datei den Namen.</translation>
    </message>
    <message>
        <source>“%1” could not be brought back. It may have been removed from the bin.</source>
        <translation>„%1“ konnte nicht zurückgeholt werden. Vielleicht wurde die Datei aus dem Papierkorb entfernt.</translation>
    </message>
</context>
<context>
    <name>ModelDelegate</name>
    <message>
        <source>open now</source>
        <translation>jetzt geöffnet</translation>
    </message>
    <message>
        <source>Open now</source>
        <translation>Jetzt öffnen</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>%1 verwenden</translation>
    </message>
    <message>
        <source>Hide details</source>
        <translation>Details ausblenden</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Show %1 in its folder</source>
        <translation>%1 im Ordner zeigen</translation>
    </message>
    <message>
        <source>Move to the bin</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>Take it off the list</source>
        <translation>Aus der Liste nehmen</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Entf</translation>
    </message>
    <message>
        <source>Move %1 to the bin</source>
        <translation>%1 in den Papierkorb verschieben</translation>
    </message>
    <message>
        <source>Take %1 off the list</source>
        <translation>%1 aus der Liste nehmen</translation>
    </message>
    <message>
        <source>Is this a ReLU model? The file does not say, and with the wrong choice the model writes nonsense.</source>
        <translation>Ist dies ein ReLU-Modell? Die Datei sagt es nicht, und bei falscher Wahl schreibt das Modell Unsinn.</translation>
    </message>
    <message>
        <source>Yes, ReLU</source>
        <translation>Ja, ReLU</translation>
    </message>
    <message>
        <source>%1 is a ReLU model</source>
        <translation>%1 ist ein ReLU-Modell</translation>
    </message>
    <message>
        <source>No, an ordinary one</source>
        <translation>Nein, ein gewöhnliches</translation>
    </message>
    <message>
        <source>%1 is an ordinary model</source>
        <translation>%1 ist ein gewöhnliches Modell</translation>
    </message>
    <message>
        <source>What do the predictors of this model read? Their file does not say; its page may. It matters for the mode “Predicted” alone.</source>
        <translation>Was lesen die Prädiktoren dieses Modells? Ihre Datei sagt es nicht, vielleicht aber die Seite des Modells. Es zählt nur für den Modus „Vorhergesagt“.</translation>
    </message>
    <message>
        <source>The residual stream, as PowerInfer’s do</source>
        <translation>Den Residualstrom, wie bei PowerInfer</translation>
    </message>
    <message>
        <source>The predictors of %1 read the residual stream</source>
        <translation>Die Prädiktoren von %1 lesen den Residualstrom</translation>
    </message>
    <message>
        <source>The normed input</source>
        <translation>Die normierte Eingabe</translation>
    </message>
    <message>
        <source>The predictors of %1 read the normed input</source>
        <translation>Die Prädiktoren von %1 lesen die normierte Eingabe</translation>
    </message>
    <message>
        <source>Prepare for this computer…</source>
        <translation>Für diesen Computer vorbereiten …</translation>
    </message>
    <message>
        <source>Prepare %1 for this computer</source>
        <translation>%1 für diesen Computer vorbereiten</translation>
    </message>
</context>
<context>
    <name>ModelFacts</name>
    <message>
        <source>This file holds a vocabulary and no weights. It cannot answer.</source>
        <translation>Diese Datei enthält ein Vokabular und keine Gewichte. Sie kann nicht antworten.</translation>
    </message>
    <message>
        <source>This file is the part of another model that looks at pictures, which Hearth cannot use yet.</source>
        <translation>Diese Datei ist der Teil eines anderen Modells, der Bilder betrachtet; Hearth kann ihn noch nicht verwenden.</translation>
    </message>
    <message>
        <source>This file lists neurons for PowerInfer. Hearth works that out by itself and does not need it.</source>
        <translation>Diese Datei zählt Neuronen für PowerInfer auf. Hearth ermittelt sie selbst und braucht sie nicht.</translation>
    </message>
    <message>
        <source>This file goes with a model, and is no model itself.</source>
        <translation>Diese Datei gehört zu einem Modell und ist selbst keines.</translation>
    </message>
    <message>
        <source>This file changes another model, which Hearth cannot do yet.</source>
        <translation>Diese Datei verändert ein anderes Modell; das kann Hearth noch nicht.</translation>
    </message>
    <message>
        <source>Hearth does not know this kind of file.</source>
        <translation>Hearth kennt diese Art von Datei nicht.</translation>
    </message>
    <message>
        <source>This version does not know how the model&apos;s tokenizer cuts text into words. It is taken for “%1”, and answers may suffer.</source>
        <translation>Diese Version weiß nicht, wie der Tokenizer des Modells Text in Wörter zerlegt. Sie behandelt ihn wie „%1“; Antworten können darunter leiden.</translation>
    </message>
    <message>
        <source>This version cannot run it: %1.</source>
        <translation>Diese Version kann es nicht ausführen: %1.</translation>
    </message>
    <message>
        <source>It does not chat here: this version cannot run its chat template.</source>
        <translation>Hier ist damit kein Chat möglich: Diese Version kann die Chatvorlage nicht ausführen.</translation>
    </message>
    <message>
        <source>It does not chat: it has no chat template and continues text.</source>
        <translation>Damit ist kein Chat möglich: Es hat keine Chatvorlage und setzt Text fort.</translation>
    </message>
</context>
<context>
    <name>ModelFolders</name>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Take off</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Take the folder %1 off the list</source>
        <translation>Ordner %1 aus der Liste nehmen</translation>
    </message>
    <message>
        <source>%1 has models in %2</source>
        <translation>%1 hat Modelle in %2</translation>
    </message>
    <message>
        <source>Show them</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Show the models of %1</source>
        <translation>Modelle von %1 zeigen</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>Ordner hinzufügen …</translation>
    </message>
</context>
<context>
    <name>ModelPacking</name>
    <message>
        <source>%1 could not be written (%2), so nothing was begun.</source>
        <translation>%1 konnte nicht geschrieben werden (%2); nichts wurde begonnen.</translation>
    </message>
</context>
<context>
    <name>ModelPill</name>
    <message>
        <source>Opening %1</source>
        <translation>%1 wird geöffnet</translation>
    </message>
    <message>
        <source>Model not opened</source>
        <translation>Modell nicht geöffnet</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
    <message>
        <source>Model: %1</source>
        <translation>Modell: %1</translation>
    </message>
    <message>
        <source>%1 percent</source>
        <translation>%1 Prozent</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>%1 verwenden</translation>
    </message>
    <message>
        <source>All models…</source>
        <translation>Alle Modelle …</translation>
    </message>
    <message>
        <source>Ctrl+M</source>
        <translation>Strg+M</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>Modell öffnen …</translation>
    </message>
    <message>
        <source>Ctrl+O</source>
        <translation>Strg+O</translation>
    </message>
    <message>
        <source>Neuron map</source>
        <translation>Neuronenkarte</translation>
    </message>
    <message>
        <source>Ctrl+Shift+M</source>
        <translation>Strg+Umschalt+M</translation>
    </message>
    <message>
        <source>Load it again</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Words go to %1.</source>
        <translation>Texte gehen an %1.</translation>
    </message>
    <message>
        <source>Remote models…</source>
        <translation>Entfernte Modelle …</translation>
    </message>
    <message>
        <source>not local</source>
        <translation>nicht lokal</translation>
    </message>
</context>
<context>
    <name>ModelStrip</name>
    <message>
        <source>Opening %1</source>
        <translation>%1 wird geöffnet</translation>
    </message>
    <message>
        <source>The model could not be opened</source>
        <translation>Das Modell konnte nicht geöffnet werden</translation>
    </message>
    <message>
        <source>No model is open</source>
        <translation>Kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>Open a GGUF file with a language model to start chatting.</source>
        <translation>Zum Chatten eine GGUF-Datei mit einem Sprachmodell öffnen.</translation>
    </message>
    <message>
        <source>Open another model…</source>
        <translation>Anderes Modell öffnen …</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>Modell öffnen …</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>%1 billion parameters</source>
        <translation>%1 Milliarden Parameter</translation>
    </message>
    <message>
        <source>%1 million parameters</source>
        <translation>%1 Millionen Parameter</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 Parameter</translation>
    </message>
    <message numerus="yes">
        <source>%n of its %1 parts are missing. Download it again.</source>
        <translation>
            <numerusform>%n der %1 Teile fehlt. Bitte neu herunterladen.</numerusform>
            <numerusform>%n der %1 Teile fehlen. Bitte neu herunterladen.</numerusform>
        </translation>
    </message>
    <message>
        <source>experts of its answers: %1</source>
        <translation>Experten der Antworten: %1</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>Architektur</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>On the disk</source>
        <translation>Auf dem Datenträger</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>%1 in a layer, %2 of them for each token</source>
        <translation>%1 je Schicht, davon %2 für jedes Token</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>Aktivierung</translation>
    </message>
    <message>
        <source>Predictors</source>
        <translation>Prädiktoren</translation>
    </message>
    <message numerus="yes">
        <source>for %n layers</source>
        <translation>
            <numerusform>für %n Schicht</numerusform>
            <numerusform>für %n Schichten</numerusform>
        </translation>
    </message>
    <message>
        <source>Packed</source>
        <translation>Gepackt</translation>
    </message>
    <message>
        <source>neuron by neuron, for reading from disk</source>
        <translation>Neuron für Neuron, zum Lesen vom Datenträger</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>Chatvorlage</translation>
    </message>
    <message>
        <source>in the file</source>
        <translation>in der Datei</translation>
    </message>
    <message>
        <source>none: a general one is used</source>
        <translation>keine: eine allgemeine wird benutzt</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>the file does not say</source>
        <translation>die Datei sagt es nicht</translation>
    </message>
    <message>
        <source>Belongs to</source>
        <translation>Gehört zu</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
</context>
<context>
    <name>ModelsDialog</name>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Search the models</source>
        <translation>Modelle durchsuchen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>No model matches these words.</source>
        <translation>Kein Modell passt zu diesen Wörtern.</translation>
    </message>
    <message>
        <source>No model was found yet. Add the folder with your models; Hearth uses them there and copies nothing.</source>
        <translation>Noch wurde kein Modell gefunden. Bitte den Ordner mit den Modellen hinzufügen; Hearth benutzt sie dort und kopiert nichts.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>Datei öffnen …</translation>
    </message>
    <message>
        <source>Get a model…</source>
        <translation>Modell holen …</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Wird gesucht …</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Erneut suchen</translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation>Ordner mit Modellen hinzufügen</translation>
    </message>
    <message>
        <source>Add this folder</source>
        <translation>Diesen Ordner hinzufügen</translation>
    </message>
    <message>
        <source>Remote models…</source>
        <translation>Entfernte Modelle …</translation>
    </message>
</context>
<context>
    <name>MoveMenu</name>
    <message>
        <source>No project</source>
        <translation>Kein Projekt</translation>
    </message>
    <message>
        <source>Move into %1</source>
        <translation>Nach %1 verschieben</translation>
    </message>
    <message>
        <source>New project…</source>
        <translation>Neues Projekt …</translation>
    </message>
</context>
<context>
    <name>Network</name>
    <message>
        <source>Enter the whole address of a file, beginning with https://.</source>
        <translation>Bitte die ganze Adresse einer Datei eingeben, beginnend mit https://.</translation>
    </message>
    <message>
        <source>An address that begins with http:// is asked on this computer alone (localhost): over a network others could change what comes unencrypted. Use https://.</source>
        <translation>Eine Adresse mit http:// wird nur auf diesem Computer gefragt (localhost): In einem Netz könnten andere verändern, was unverschlüsselt kommt. Bitte https:// verwenden.</translation>
    </message>
</context>
<context>
    <name>NetworkDialog</name>
    <message>
        <source>Network</source>
        <translation>Netzwerk</translation>
    </message>
    <message>
        <source>Forbid all network requests</source>
        <translation>Alle Netzwerkanfragen verbieten</translation>
    </message>
    <message>
        <source>Forbid all network requests: nothing leaves this computer, and downloads are paused</source>
        <translation>Alle Netzwerkanfragen verbieten: Nichts verlässt diesen Computer, und Downloads sind pausiert</translation>
    </message>
    <message>
        <source>No request was made since Hearth started.</source>
        <translation>Seit dem Start von Hearth gab es keine Anfrage.</translation>
    </message>
    <message>
        <source>Since Hearth started, latest first:</source>
        <translation>Seit dem Start von Hearth, die neueste zuerst:</translation>
    </message>
    <message>
        <source>Your chats leave this computer for remote models that you choose and for what you allow tools. Hearth makes requests only for these, your searches and downloads, and lists each one here.</source>
        <translation>Chats verlassen diesen Computer für gewählte entfernte Modelle und für das, was Werkzeugen erlaubt ist. Hearth stellt nur dafür, für Suchen und für Downloads Anfragen und führt jede hier auf.</translation>
    </message>
</context>
<context>
    <name>NeuronMapPanel</name>
    <message>
        <source>Neuron map</source>
        <translation>Neuronenkarte</translation>
    </message>
    <message>
        <source>Close the neuron map</source>
        <translation>Neuronenkarte schließen</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>graphics card</source>
        <translation>Grafikkarte</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Arbeitsspeicher</translation>
    </message>
    <message>
        <source>disk</source>
        <translation>Datenträger</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Chosen</source>
        <translation>Gewählt</translation>
    </message>
    <message>
        <source>Fires</source>
        <translation>Feuert</translation>
    </message>
    <message>
        <source>Cached</source>
        <translation>Im Cache</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Platte</translation>
    </message>
    <message>
        <source>Layers of the model, %1: Up and Down choose one</source>
        <translation>Schichten des Modells, %1: Auf und Ab wählen eine</translation>
    </message>
    <message>
        <source>Chosen: where the experts lay that tokens chose.</source>
        <translation>Gewählt: wo die Experten lagen, die Token wählten.</translation>
    </message>
    <message>
        <source>Fires: the share of a layer&apos;s neurons that a token uses.</source>
        <translation>Feuert: der Anteil der Neuronen einer Schicht, den ein Token benutzt.</translation>
    </message>
    <message>
        <source>Cached: of what lies on the disk and was needed, the share that memory already had. Disk: how fast it is read; the longest bar is the fastest.</source>
        <translation>Im Cache: der Anteil, der vom Gebrauchten auf dem Datenträger schon im Arbeitsspeicher lag. Platte: wie schnell sie gelesen wird; der längste Balken ist der schnellste.</translation>
    </message>
</context>
<context>
    <name>OfferDelegate</name>
    <message>
        <source>On this computer</source>
        <translation>Auf diesem Computer</translation>
    </message>
    <message>
        <source>Among the downloads</source>
        <translation>Unter den Downloads</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Download anyway</source>
        <translation>Trotzdem herunterladen</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1: %2, %3</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>How would it run here?</source>
        <translation>Wie liefe es hier?</translation>
    </message>
    <message>
        <source>Stop looking at %1</source>
        <translation>%1 nicht weiter betrachten</translation>
    </message>
    <message>
        <source>How would %1 run on this computer?</source>
        <translation>Wie liefe %1 auf diesem Computer?</translation>
    </message>
    <message>
        <source>Asks the server for the first megabytes of the file.</source>
        <translation>Fragt den Server nach den ersten Megabytes der Datei.</translation>
    </message>
</context>
<context>
    <name>OfferForecast</name>
    <message>
        <source>Reading the beginning of the file, and planning with it…</source>
        <translation>Der Anfang der Datei wird gelesen und damit geplant …</translation>
    </message>
</context>
<context>
    <name>OfferTraits</name>
    <message>
        <source>This version cannot run its architecture, %1.</source>
        <translation>Diese Version kann seine Architektur, %1, nicht ausführen.</translation>
    </message>
    <message>
        <source>This version cannot compute with its weights of the type %1.</source>
        <translation>Diese Version kann mit seinen Gewichten vom Typ %1 nicht rechnen.</translation>
    </message>
    <message>
        <source>It was not made for chatting: it has no chat template and continues text.</source>
        <translation>Es ist nicht zum Chatten gemacht: Es hat keine Chatvorlage und setzt Text fort.</translation>
    </message>
    <message>
        <source>This version cannot run its chat template, that of %1.</source>
        <translation>Diese Version kann seine Chatvorlage, die von %1, nicht ausführen.</translation>
    </message>
</context>
<context>
    <name>OffersDialog</name>
    <message>
        <source>Get a model</source>
        <translation>Modell holen</translation>
    </message>
    <message>
        <source>Downloads go to %1. Hearth makes no request before you press a button. A forecast fetches the first megabytes of a file.</source>
        <translation>Downloads gehen nach %1. Hearth stellt keine Anfrage, bevor ein Knopf gedrückt wird. Eine Prognose holt die ersten Megabytes einer Datei.</translation>
    </message>
    <message>
        <source>Address of a .gguf file</source>
        <translation>Adresse einer .gguf-Datei</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Download from this address</source>
        <translation>Von dieser Adresse herunterladen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>How would it run here?</source>
        <translation>Wie liefe es hier?</translation>
    </message>
    <message>
        <source>Stop looking at this address</source>
        <translation>Diese Adresse nicht weiter betrachten</translation>
    </message>
    <message>
        <source>How would the model at this address run on this computer?</source>
        <translation>Wie liefe das Modell an dieser Adresse auf diesem Computer?</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>Auf diesem Computer</translation>
    </message>
    <message>
        <source>Among the downloads</source>
        <translation>Unter den Downloads</translation>
    </message>
    <message>
        <source>Download it</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Download the model for this computer</source>
        <translation>Modell für diesen Computer herunterladen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
</context>
<context>
    <name>OllamaStore</name>
    <message>
        <source>Ollama&apos;s models in “%1” cannot be read. Check the permissions of the folder.</source>
        <translation>Die Modelle von Ollama in „%1“ sind nicht lesbar. Bitte die Rechte des Ordners prüfen.</translation>
    </message>
    <message>
        <source>Ollama&apos;s folder “%1” holds more than %2 models. The others are left out.</source>
        <translation>Der Ordner „%1“ von Ollama enthält mehr als %2 Modelle. Die übrigen werden ausgelassen.</translation>
    </message>
    <message>
        <source>Ollama lists %1, whose file is gone. Ask Ollama for it again.</source>
        <translation>Ollama führt %1 auf, dessen Datei fehlt. Bitte mit Ollama neu holen.</translation>
    </message>
</context>
<context>
    <name>PackingCard</name>
    <message>
        <source>Preparing %1</source>
        <translation>%1 wird vorbereitet</translation>
    </message>
    <message>
        <source>Preparing %1 was interrupted, and a half-written copy lies on the disk.</source>
        <translation>Das Vorbereiten von %1 wurde unterbrochen, und eine halbfertige Kopie liegt auf dem Datenträger.</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Go on preparing %1</source>
        <translation>%1 weiter vorbereiten</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the half-written copy of %1</source>
        <translation>Halbfertige Kopie von %1 entfernen</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Show how far preparing %1 is</source>
        <translation>Fortschritt beim Vorbereiten von %1 zeigen</translation>
    </message>
</context>
<context>
    <name>PackingDialog</name>
    <message>
        <source>Prepare for this computer</source>
        <translation>Für diesen Computer vorbereiten</translation>
    </message>
    <message>
        <source>This model is larger than the memory that it may use, so Hearth reads parts of it from the disk while it answers. This writes a copy in which these parts lie together, which reads faster. Answers stay as good.</source>
        <translation>Dieses Modell ist größer als der erlaubte Arbeitsspeicher, daher liest Hearth beim Antworten Teile vom Datenträger. Hier entsteht eine Kopie, in der diese Teile beieinander liegen und sich schneller lesen lassen. Die Antworten bleiben gleich gut.</translation>
    </message>
    <message>
        <source>Finding out the size and the time…</source>
        <translation>Größe und Dauer werden ermittelt …</translation>
    </message>
    <message>
        <source>The copy is ready, and in the list of models: %1</source>
        <translation>Die Kopie ist fertig und steht in der Liste der Modelle: %1</translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation>Vorbereiten</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Go on in the background</source>
        <translation>Im Hintergrund weitermachen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Stop and remove the copy</source>
        <translation>Anhalten und Kopie entfernen</translation>
    </message>
</context>
<context>
    <name>PackingProgress</name>
    <message>
        <source>Preparing %1</source>
        <translation>%1 wird vorbereitet</translation>
    </message>
</context>
<context>
    <name>ProgressLine</name>
    <message>
        <source>%1: progress unknown</source>
        <translation>%1: Fortschritt unbekannt</translation>
    </message>
    <message>
        <source>%1: %2 %</source>
        <translation>%1: %2 %</translation>
    </message>
</context>
<context>
    <name>ProjectDialog</name>
    <message>
        <source>New project</source>
        <translation>Neues Projekt</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Name of the project</source>
        <translation>Name des Projekts</translation>
    </message>
    <message>
        <source>Chats of a project share instructions, a model, files and a folder.</source>
        <translation>Die Chats eines Projekts teilen sich Anweisungen, ein Modell, Dateien und einen Ordner.</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>Anweisungen</translation>
    </message>
    <message>
        <source>The model reads them in every chat of the project, before those of the chat.</source>
        <translation>Das Modell liest sie in jedem Chat des Projekts, vor denen des Chats.</translation>
    </message>
    <message>
        <source>Instructions of the project</source>
        <translation>Anweisungen des Projekts</translation>
    </message>
    <message>
        <source>Make the project</source>
        <translation>Projekt anlegen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>The model that is loaded answers.</source>
        <translation>Das geladene Modell antwortet.</translation>
    </message>
    <message>
        <source>Always use %1</source>
        <translation>Immer %1 verwenden</translation>
    </message>
    <message>
        <source>Use the loaded model</source>
        <translation>Das geladene Modell verwenden</translation>
    </message>
    <message>
        <source>A temperature of its own</source>
        <translation>Eine eigene Temperatur</translation>
    </message>
    <message>
        <source>Temperature of the project</source>
        <translation>Temperatur des Projekts</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Short ones go with the first question of a chat. Of long ones the passages go that fit the question.</source>
        <translation>Kurze gehen mit der ersten Frage eines Chats mit. Von langen gehen die Abschnitte mit, die zur Frage passen.</translation>
    </message>
    <message>
        <source>Add a file…</source>
        <translation>Datei hinzufügen …</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Its files are searched for each question, and tools read in it alone. Links in it are not followed.</source>
        <translation>Seine Dateien werden für jede Frage durchsucht, und Werkzeuge lesen nur darin. Verknüpfungen darin wird nicht gefolgt.</translation>
    </message>
    <message>
        <source>No folder.</source>
        <translation>Kein Ordner.</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen …</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>No folder for this project</source>
        <translation>Kein Ordner für dieses Projekt</translation>
    </message>
    <message>
        <source>Ask again for all tools of this project (%1 allowed)</source>
        <translation>Für alle Werkzeuge dieses Projekts wieder fragen (%1 erlaubt)</translation>
    </message>
</context>
<context>
    <name>ProjectMenu</name>
    <message>
        <source>New chat in this project</source>
        <translation>Neuer Chat in diesem Projekt</translation>
    </message>
    <message>
        <source>Instructions, model and files…</source>
        <translation>Anweisungen, Modell und Dateien …</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>F2</source>
        <translation>F2</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Löschen …</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Entf</translation>
    </message>
    <message>
        <source>Search in this project</source>
        <translation>In diesem Projekt suchen</translation>
    </message>
</context>
<context>
    <name>ProjectRemoval</name>
    <message>
        <source>Delete the project “%1”?</source>
        <translation>Projekt „%1“ löschen?</translation>
    </message>
    <message>
        <source>Its instructions and its list of files are deleted. The files themselves stay where they are.</source>
        <translation>Die Anweisungen und die Liste der Dateien werden gelöscht. Die Dateien selbst bleiben, wo sie sind.</translation>
    </message>
    <message numerus="yes">
        <source>Its %n chats can stay, or be deleted too; they can then be brought back for 30 days.</source>
        <translation>
            <numerusform>Der Chat kann bleiben oder mit gelöscht werden; er lässt sich dann 30 Tage lang zurückholen.</numerusform>
            <numerusform>Die %n Chats können bleiben oder mit gelöscht werden; sie lassen sich dann 30 Tage lang zurückholen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete the project</source>
        <translation>Projekt löschen</translation>
    </message>
    <message numerus="yes">
        <source>Delete it and keep the chats</source>
        <translation>
            <numerusform>Löschen und den Chat behalten</numerusform>
            <numerusform>Löschen und die Chats behalten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete it with its chats</source>
        <translation>
            <numerusform>Mit dem Chat löschen</numerusform>
            <numerusform>Mit den Chats löschen</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>ReadingMark</name>
    <message>
        <source>The model reads from here on. What is above no longer fits into its context.</source>
        <translation>Das Modell liest ab hier. Was darüber steht, passt nicht mehr in den Kontext.</translation>
    </message>
</context>
<context>
    <name>ReasoningPill</name>
    <message>
        <source>Reasoning: %1</source>
        <translation>Nachdenken: %1</translation>
    </message>
    <message>
        <source>Whether the model thinks before it answers</source>
        <translation>Ob das Modell vor der Antwort nachdenkt</translation>
    </message>
</context>
<context>
    <name>RemoteDialog</name>
    <message>
        <source>Remote models</source>
        <translation>Entfernte Modelle</translation>
    </message>
    <message>
        <source>A model of another computer can answer in place of one on this computer: another Hearth, or any server that speaks OpenAI&apos;s API. The words of a chat then go there. Hearth asks before the first of them does, and says so wherever the model&apos;s name is shown. While it is chosen, no model is held in memory here.</source>
        <translation>Statt eines Modells auf diesem Computer kann das eines anderen antworten: ein anderes Hearth oder jeder Server mit der API von OpenAI. Die Texte eines Chats gehen dann dorthin. Hearth fragt vor dem ersten und sagt es überall, wo der Name des Modells steht. Solange es gewählt ist, belegt hier kein Modell Arbeitsspeicher.</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>Server hinzufügen</translation>
    </message>
</context>
<context>
    <name>RemoteModel</name>
    <message>
        <source>%1 · not local</source>
        <translation>%1 · nicht lokal</translation>
    </message>
</context>
<context>
    <name>RemoteServer</name>
    <message>
        <source>Enter the address of the server&apos;s API, as in https://example.org/v1.</source>
        <translation>Bitte die Adresse der API des Servers eingeben, etwa https://example.org/v1.</translation>
    </message>
    <message>
        <source>Words go over a network encrypted alone: the address must begin with https://. An address with http:// is for this computer (localhost).</source>
        <translation>Über ein Netzwerk gehen Texte nur verschlüsselt: Die Adresse muss mit https:// beginnen. Eine mit http:// gilt nur für diesen Computer (localhost).</translation>
    </message>
    <message>
        <source>This address answers, but not with a list of models: it is no API of the form that Hearth speaks.</source>
        <translation>Diese Adresse antwortet, aber nicht mit einer Liste von Modellen: Sie ist keine API der Form, die Hearth spricht.</translation>
    </message>
    <message>
        <source>The server has no model now.</source>
        <translation>Der Server hat zurzeit kein Modell.</translation>
    </message>
    <message>
        <source>%1 refuses the key.</source>
        <translation>%1 lehnt den Schlüssel ab.</translation>
    </message>
    <message>
        <source>%1 asks for a key.</source>
        <translation>%1 verlangt einen Schlüssel.</translation>
    </message>
    <message>
        <source>%1 has no such model, or no API at this address.</source>
        <translation>%1 hat kein solches Modell oder keine API unter dieser Adresse.</translation>
    </message>
    <message>
        <source>%1 asks for a pause: too many requests, or none left.</source>
        <translation>%1 bittet um eine Pause: zu viele Anfragen, oder keine mehr übrig.</translation>
    </message>
    <message>
        <source>%1 has an error (%2).</source>
        <translation>%1 hat einen Fehler (%2).</translation>
    </message>
    <message>
        <source>%1 refuses this (%2).</source>
        <translation>%1 lehnt das ab (%2).</translation>
    </message>
    <message>
        <source>It says: “%1”</source>
        <translation>Er meldet: „%1“</translation>
    </message>
</context>
<context>
    <name>RemoteServerCard</name>
    <message>
        <source>%1 · not local</source>
        <translation>%1 · nicht lokal</translation>
    </message>
    <message>
        <source>No key is shown to it.</source>
        <translation>Er bekommt keinen Schlüssel.</translation>
    </message>
    <message>
        <source>Its key is in this system&apos;s keychain.</source>
        <translation>Sein Schlüssel liegt im Schlüsselbund dieses Systems.</translation>
    </message>
    <message>
        <source>Its key is forgotten when Hearth ends: there is no keychain here that keeps it.</source>
        <translation>Sein Schlüssel gilt bis zum Ende von Hearth: Hier gibt es keinen Schlüsselbund, der ihn aufbewahrt.</translation>
    </message>
    <message>
        <source>Asking for its models…</source>
        <translation>Fragt nach seinen Modellen …</translation>
    </message>
    <message>
        <source>Search the models of %1</source>
        <translation>Modelle von %1 durchsuchen</translation>
    </message>
    <message>
        <source>Search its models</source>
        <translation>Seine Modelle durchsuchen</translation>
    </message>
    <message>
        <source>Models of %1</source>
        <translation>Modelle von %1</translation>
    </message>
    <message>
        <source>Answers now</source>
        <translation>Antwortet jetzt</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Benutzen</translation>
    </message>
    <message>
        <source>%1 answers now</source>
        <translation>%1 antwortet jetzt</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>%1 benutzen</translation>
    </message>
    <message>
        <source>Send words to %1 without a question</source>
        <translation>Texte ohne Rückfrage an %1 senden</translation>
    </message>
    <message>
        <source>Show its models</source>
        <translation>Seine Modelle zeigen</translation>
    </message>
    <message>
        <source>Show the models of %1</source>
        <translation>Modelle von %1 zeigen</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern …</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>%1 ändern</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove %1 and its key</source>
        <translation>%1 und seinen Schlüssel entfernen</translation>
    </message>
</context>
<context>
    <name>RemoteServerForm</name>
    <message>
        <source>Address of the new server</source>
        <translation>Adresse des neuen Servers</translation>
    </message>
    <message>
        <source>Address of %1</source>
        <translation>Adresse von %1</translation>
    </message>
    <message>
        <source>Address, as in https://example.org/v1</source>
        <translation>Adresse, etwa https://example.org/v1</translation>
    </message>
    <message>
        <source>Key of the new server</source>
        <translation>Schlüssel des neuen Servers</translation>
    </message>
    <message>
        <source>New key of %1</source>
        <translation>Neuer Schlüssel von %1</translation>
    </message>
    <message>
        <source>Key, if the server asks for one</source>
        <translation>Schlüssel, falls der Server einen verlangt</translation>
    </message>
    <message>
        <source>New key; empty: it stays</source>
        <translation>Neuer Schlüssel; leer: er bleibt</translation>
    </message>
    <message>
        <source>Name of the new server</source>
        <translation>Name des neuen Servers</translation>
    </message>
    <message>
        <source>Name of %1</source>
        <translation>Name von %1</translation>
    </message>
    <message>
        <source>Name; empty: its host</source>
        <translation>Name; leer: sein Hostname</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Add the server</source>
        <translation>Server hinzufügen</translation>
    </message>
    <message>
        <source>Save the server</source>
        <translation>Server speichern</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>RequestList</name>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>%1: %2. %3</source>
        <translation>%1: %2. %3</translation>
    </message>
    <message>
        <source>%1, %2: %3. %4</source>
        <translation>%1, %2: %3. %4</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>SearchHitDelegate</name>
    <message>
        <source>You wrote: %1</source>
        <translation>Sie schrieben: %1</translation>
    </message>
    <message>
        <source>Hearth answered: %1</source>
        <translation>Hearth antwortete: %1</translation>
    </message>
</context>
<context>
    <name>SearchHits</name>
    <message>
        <source>Messages found</source>
        <translation>Gefundene Nachrichten</translation>
    </message>
</context>
<context>
    <name>SearchIndex</name>
    <message>
        <source>Chats cannot be searched: their file cannot be read.</source>
        <translation>Chats lassen sich nicht durchsuchen: Ihre Datei ist nicht lesbar.</translation>
    </message>
    <message>
        <source>Chats cannot be searched. %1</source>
        <translation>Chats lassen sich nicht durchsuchen. %1</translation>
    </message>
    <message>
        <source>Chats cannot be searched in this window.</source>
        <translation>In diesem Fenster lassen sich Chats nicht durchsuchen.</translation>
    </message>
    <message>
        <source>Chats cannot be searched: the SQLite of this system has no full-text search (FTS5).</source>
        <translation>Chats lassen sich nicht durchsuchen: Das SQLite dieses Systems hat keine Volltextsuche (FTS5).</translation>
    </message>
    <message>
        <source>Some chats are not found yet. %1</source>
        <translation>Manche Chats werden noch nicht gefunden. %1</translation>
    </message>
</context>
<context>
    <name>SendQuestion</name>
    <message>
        <source>Send the words of this chat to %1?</source>
        <translation>Texte dieses Chats an %1 senden?</translation>
    </message>
    <message>
        <source>Send the words of another chat, which waits for its answer, to %1?</source>
        <translation>Texte eines anderen Chats, der auf seine Antwort wartet, an %1 senden?</translation>
    </message>
    <message>
        <source>This model is not local. Questions, answers, instructions, texts of attached files and of the project&apos;s files, and what tools find go there. The answer holds until Hearth is closed.</source>
        <translation>Dieses Modell ist nicht lokal. Fragen, Antworten, Anweisungen, Texte angehängter Dateien und der Projektdateien sowie Funde der Werkzeuge gehen dorthin. Die Entscheidung gilt, bis Hearth beendet wird.</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Always send to %1</source>
        <translation>Immer an %1 senden</translation>
    </message>
    <message>
        <source>Send nothing</source>
        <translation>Nichts senden</translation>
    </message>
    <message>
        <source>Always send</source>
        <translation>Immer senden</translation>
    </message>
</context>
<context>
    <name>ServingCard</name>
    <message>
        <source>This window only reads your conversations. It answers no other program.</source>
        <translation>Dieses Fenster liest die Chats nur. Es antwortet keinem anderen Programm.</translation>
    </message>
    <message>
        <source>The local API starts…</source>
        <translation>Die lokale API startet …</translation>
    </message>
    <message>
        <source>The local API is not running.</source>
        <translation>Die lokale API läuft nicht.</translation>
    </message>
    <message>
        <source>Programs of this computer can use the model now.</source>
        <translation>Programme dieses Computers können das Modell jetzt benutzen.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Clients of OpenAI&apos;s API take it as their base URL. Clients of Anthropic&apos;s API take it without “/v1”.</source>
        <translation>Programme für die API von OpenAI nehmen sie als Basis-URL, solche für die von Anthropic ohne „/v1“.</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Zugriffstoken</translation>
    </message>
    <message>
        <source>The token is hidden</source>
        <translation>Das Zugriffstoken ist verborgen</translation>
    </message>
    <message>
        <source>Whoever knows it can use the model. %1</source>
        <translation>Wer es kennt, kann das Modell benutzen. %1</translation>
    </message>
    <message>
        <source>Copy the token</source>
        <translation>Zugriffstoken kopieren</translation>
    </message>
    <message>
        <source>Hide the token</source>
        <translation>Zugriffstoken verbergen</translation>
    </message>
    <message>
        <source>Show the token</source>
        <translation>Zugriffstoken zeigen</translation>
    </message>
    <message>
        <source>Make a new token</source>
        <translation>Neues Zugriffstoken erzeugen</translation>
    </message>
    <message>
        <source>Latest requests</source>
        <translation>Letzte Anfragen</translation>
    </message>
    <message>
        <source>No program has asked so far.</source>
        <translation>Bisher hat kein Programm gefragt.</translation>
    </message>
    <message>
        <source>%1, %2: %3. %4</source>
        <translation>%1, %2: %3. %4</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>ServingMark</name>
    <message>
        <source>API</source>
        <translation>API</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>Lokale API</translation>
    </message>
    <message>
        <source>Other programs of this computer can use the model at %1</source>
        <translation>Andere Programme dieses Computers können das Modell unter %1 benutzen</translation>
    </message>
</context>
<context>
    <name>ServingStrip</name>
    <message>
        <source>%1. Your question waits.</source>
        <translation>%1. Die Frage wartet.</translation>
    </message>
    <message>
        <source>Stop it</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Stop the answer to the other program</source>
        <translation>Antwort an das andere Programm abbrechen</translation>
    </message>
</context>
<context>
    <name>SettingRow</name>
    <message>
        <source> · only for this model</source>
        <translation> · nur für dieses Modell</translation>
    </message>
    <message>
        <source>Reset “%1”</source>
        <translation>„%1“ zurücksetzen</translation>
    </message>
    <message>
        <source>On</source>
        <translation>An</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>Voll</translation>
    </message>
    <message>
        <source>Half</source>
        <translation>Halb</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>Genau</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>Vorhergesagt</translation>
    </message>
    <message>
        <source>Dense</source>
        <translation>Dicht</translation>
    </message>
    <message>
        <source>Approximate</source>
        <translation>Angenähert</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>Präzise</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>Kreativ</translation>
    </message>
    <message>
        <source>Own values</source>
        <translation>Eigene Werte</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>On</source>
        <translation>An</translation>
    </message>
    <message>
        <source>Brief</source>
        <translation>Kurz</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>Thorough</source>
        <translation>Gründlich</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Graphics card</source>
        <translation>Grafikkarte</translation>
    </message>
    <message>
        <source>Which card computes. Automatic takes the best one, if it is faster than the processor alone. Changing it loads the model anew.</source>
        <translation>Welche Karte rechnet. Automatisch nimmt die beste, wenn sie schneller ist als der Prozessor allein. Eine Änderung lädt das Modell neu.</translation>
    </message>
    <message>
        <source>Memory of the graphics card</source>
        <translation>Speicher der Grafikkarte</translation>
    </message>
    <message>
        <source>The most the model may take of the card. More is faster; games and video then have less. Takes effect in the running chat.</source>
        <translation>So viel darf das Modell höchstens von der Karte nehmen. Mehr ist schneller; Spiele und Videos haben dann weniger. Wirkt im laufenden Chat.</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Arbeitsspeicher</translation>
    </message>
    <message>
        <source>The most memory that the model may hold. The rest is read from the disk for each word, which is slower but leaves the computer usable. Takes effect in the running chat.</source>
        <translation>So viel Arbeitsspeicher darf das Modell höchstens belegen. Der Rest wird für jedes Wort vom Datenträger gelesen; das ist langsamer, lässt den Computer aber benutzbar. Wirkt im laufenden Chat.</translation>
    </message>
    <message>
        <source>Processor threads</source>
        <translation>Prozessor-Threads</translation>
    </message>
    <message>
        <source>Threads that compute at once. More threads than fast cores seldom help, and other programs become slow. Changing it loads the model anew.</source>
        <translation>Threads, die gleichzeitig rechnen. Mehr Threads als schnelle Kerne helfen selten, und andere Programme werden langsam. Eine Änderung lädt das Modell neu.</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>How much of a conversation the model sees, in tokens: a token is most of a word. A larger one takes more memory. Changing it loads the model anew.</source>
        <translation>Wie viel eines Chats das Modell sieht, in Token: Ein Token ist der größte Teil eines Wortes. Ein größerer Kontext braucht mehr Speicher. Eine Änderung lädt das Modell neu.</translation>
    </message>
    <message>
        <source>Memory of a conversation</source>
        <translation>Gedächtnis eines Chats</translation>
    </message>
    <message>
        <source>How exactly the model keeps what it has read. Half as large, it leaves room for a longer context, and changes answers a little. Changing it loads the model anew.</source>
        <translation>Wie genau das Modell behält, was es gelesen hat. Halb so groß lässt es Platz für einen längeren Kontext und ändert Antworten ein wenig. Eine Änderung lädt das Modell neu.</translation>
    </message>
    <message>
        <source>What is computed</source>
        <translation>Umfang der Berechnung</translation>
    </message>
    <message>
        <source>Automatic and exact give the model&apos;s own answers. Predicted and approximate leave more out: faster, with slightly other words, and only for models made for it. Dense leaves out nothing. Changing it loads the model anew.</source>
        <translation>Automatisch und Genau geben die eigenen Antworten des Modells. Vorhergesagt und Angenähert lassen mehr weg: schneller, mit leicht anderen Worten, und nur für Modelle, die dafür gemacht sind. Dicht lässt nichts weg. Eine Änderung lädt das Modell neu.</translation>
    </message>
    <message>
        <source>Give way to other programs</source>
        <translation>Anderen Programmen Platz machen</translation>
    </message>
    <message>
        <source>Gives memory back while other programs wait for some. Answers are then slower, never different.</source>
        <translation>Gibt Arbeitsspeicher zurück, solange andere Programme darauf warten. Antworten sind dann langsamer, nie anders.</translation>
    </message>
    <message>
        <source>Learn from use</source>
        <translation>Aus der Nutzung lernen</translation>
    </message>
    <message>
        <source>Counts which parts of a model are used, so that it runs faster next time. Counts only; no word of a chat is kept by it.</source>
        <translation>Zählt, welche Teile eines Modells gebraucht werden, damit es beim nächsten Mal schneller läuft. Nur Zahlen; kein Wort eines Chats wird dabei aufbewahrt.</translation>
    </message>
    <message>
        <source>Remember chats</source>
        <translation>Chats merken</translation>
    </message>
    <message>
        <source>Keeps on disk what the model remembers of long chats, 2 GB at most, so that they go on at once after a restart. Deleting a chat deletes it. Off deletes all.</source>
        <translation>Bewahrt auf dem Datenträger auf, was das Modell von langen Chats weiß, höchstens 2 GB, damit sie nach einem Neustart sofort weitergehen. Mit einem Chat wird es gelöscht. Ausschalten löscht alles.</translation>
    </message>
    <message>
        <source>Activation of this model</source>
        <translation>Aktivierung dieses Modells</translation>
    </message>
    <message>
        <source>The function in the model&apos;s neurons. Some files leave it open, and with the wrong one the model writes fluent nonsense. Leave it on automatic unless the model&apos;s page names one.</source>
        <translation>Die Funktion in den Neuronen des Modells. Manche Dateien lassen sie offen, und mit der falschen schreibt das Modell flüssigen Unsinn. Bitte auf Automatisch lassen, außer die Seite des Modells nennt eine.</translation>
    </message>
    <message>
        <source>Predictors of this model</source>
        <translation>Prädiktoren dieses Modells</translation>
    </message>
    <message>
        <source>A file that predicts which parts of the model a word needs, for the mode “predicted”. Nothing: the predictors inside the model.</source>
        <translation>Eine Datei, die vorhersagt, welche Teile des Modells ein Wort braucht, für den Modus „Vorhergesagt“. Leer: die Prädiktoren im Modell.</translation>
    </message>
    <message>
        <source>Input of its predictors</source>
        <translation>Eingabe seiner Prädiktoren</translation>
    </message>
    <message>
        <source>For files with predictors that leave it open. The model&apos;s page may name it.</source>
        <translation>Für Dateien mit Prädiktoren, die sie offen lassen. Vielleicht nennt sie die Seite des Modells.</translation>
    </message>
    <message>
        <source>Thresholds of this model</source>
        <translation>Schwellenwerte dieses Modells</translation>
    </message>
    <message>
        <source>A file with the limits below which values are left out, for the mode “approximate”.</source>
        <translation>Eine Datei mit den Grenzen, unter denen Werte weggelassen werden, für den Modus „Angenähert“.</translation>
    </message>
    <message>
        <source>Style</source>
        <translation>Stil</translation>
    </message>
    <message>
        <source>Precise keeps to the likeliest words, creative strays further from them. Own values are those below.</source>
        <translation>Präzise bleibt bei den wahrscheinlichsten Wörtern, Kreativ entfernt sich weiter davon. Eigene Werte sind die unten.</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Higher is more varied and more often wrong. 0 always takes the likeliest word.</source>
        <translation>Höher ist abwechslungsreicher und öfter falsch. 0 nimmt immer das wahrscheinlichste Wort.</translation>
    </message>
    <message>
        <source>Likeliest words (top-k)</source>
        <translation>Wahrscheinlichste Wörter (top-k)</translation>
    </message>
    <message>
        <source>The next word is chosen among so many likeliest words. 0: among all.</source>
        <translation>Das nächste Wort wird aus so vielen wahrscheinlichsten gewählt. 0: aus allen.</translation>
    </message>
    <message>
        <source>Share of likelihood (top-p)</source>
        <translation>Anteil der Wahrscheinlichkeit (top-p)</translation>
    </message>
    <message>
        <source>The next word is chosen among the likeliest words that together have this share. 1: among all.</source>
        <translation>Das nächste Wort wird aus den wahrscheinlichsten gewählt, die zusammen diesen Anteil haben. 1: aus allen.</translation>
    </message>
    <message>
        <source>Least likelihood (min-p)</source>
        <translation>Geringste Wahrscheinlichkeit (min-p)</translation>
    </message>
    <message>
        <source>Words less likely than this share of the likeliest one are left out. 0: none.</source>
        <translation>Wörter, die weniger wahrscheinlich sind als dieser Anteil des wahrscheinlichsten, fallen weg. 0: keine.</translation>
    </message>
    <message>
        <source>Against repetition</source>
        <translation>Gegen Wiederholungen</translation>
    </message>
    <message>
        <source>Above 1 the model repeats itself less. Much above 1.2 it avoids words that it needs.</source>
        <translation>Über 1 wiederholt sich das Modell weniger. Weit über 1,2 meidet es Wörter, die es braucht.</translation>
    </message>
    <message>
        <source>New words (presence penalty)</source>
        <translation>Neue Wörter (presence penalty)</translation>
    </message>
    <message>
        <source>Above 0 the model prefers words that were not said yet.</source>
        <translation>Über 0 bevorzugt das Modell Wörter, die noch nicht gefallen sind.</translation>
    </message>
    <message>
        <source>Frequent words (frequency penalty)</source>
        <translation>Häufige Wörter (frequency penalty)</translation>
    </message>
    <message>
        <source>Above 0 a word becomes less likely each time it is said.</source>
        <translation>Über 0 wird ein Wort jedes Mal unwahrscheinlicher, wenn es fällt.</translation>
    </message>
    <message>
        <source>Words looked back at</source>
        <translation>Wörter im Rückblick</translation>
    </message>
    <message>
        <source>The three settings above count so many latest words, in tokens.</source>
        <translation>Die drei Einstellungen darüber zählen so viele letzte Wörter, in Token.</translation>
    </message>
    <message>
        <source>Repeated passages (DRY)</source>
        <translation>Wiederholte Passagen (DRY)</translation>
    </message>
    <message>
        <source>Above 0 the model goes on less with passages that it wrote before; 0.8 is usual. 0: off.</source>
        <translation>Über 0 setzt das Modell schon geschriebene Passagen seltener fort; üblich ist 0,8. 0: aus.</translation>
    </message>
    <message>
        <source>Growth of DRY</source>
        <translation>Wachstum von DRY</translation>
    </message>
    <message>
        <source>DRY gets stronger by this factor with each further word of a repetition.</source>
        <translation>DRY wird mit jedem weiteren Wort einer Wiederholung um diesen Faktor stärker.</translation>
    </message>
    <message>
        <source>Repetition that DRY allows</source>
        <translation>Wiederholung, die DRY erlaubt</translation>
    </message>
    <message>
        <source>Repetitions of fewer words, in tokens, are left alone.</source>
        <translation>Wiederholungen von weniger Wörtern, in Token, bleiben unbehelligt.</translation>
    </message>
    <message>
        <source>Typical words (typical-p)</source>
        <translation>Typische Wörter (typical-p)</translation>
    </message>
    <message>
        <source>The next word is chosen among those whose surprise is usual, until they have this share. 1: among all.</source>
        <translation>Das nächste Wort wird aus denen gewählt, die üblich überraschen, bis sie diesen Anteil haben. 1: aus allen.</translation>
    </message>
    <message>
        <source>Unlikely turns (XTC)</source>
        <translation>Unerwartete Wendungen (XTC)</translation>
    </message>
    <message>
        <source>How often the likeliest words are left out, for more surprising text. 0: never.</source>
        <translation>Wie oft die wahrscheinlichsten Wörter wegfallen, für überraschendere Texte. 0: nie.</translation>
    </message>
    <message>
        <source>Likely words that XTC leaves out</source>
        <translation>Wahrscheinliche Wörter, die XTC weglässt</translation>
    </message>
    <message>
        <source>Of the words above this share only the least likely one is kept.</source>
        <translation>Von den Wörtern über diesem Anteil bleibt nur das unwahrscheinlichste.</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>Längste Antwort</translation>
    </message>
    <message>
        <source>In tokens. Automatic lets the model end by itself.</source>
        <translation>In Token. Automatisch lässt das Modell selbst enden.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>The same seed gives the same answer to the same question. 0: a new one each time.</source>
        <translation>Derselbe Startwert gibt auf dieselbe Frage dieselbe Antwort. 0: jedes Mal ein neuer.</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>Anweisungen</translation>
    </message>
    <message>
        <source>The model reads them before a new chat: for example how to answer. They take room in the context. A chat keeps the instructions that it began with.</source>
        <translation>Das Modell liest sie vor einem neuen Chat: zum Beispiel, wie es antworten soll. Sie brauchen Platz im Kontext. Ein Chat behält die Anweisungen, mit denen er begann.</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>Nachdenken</translation>
    </message>
    <message>
        <source>Whether the model thinks before it answers, and how long. Each model knows some of these choices, or none.</source>
        <translation>Ob und wie lange das Modell vor der Antwort nachdenkt. Jedes Modell kennt einige dieser Möglichkeiten oder keine.</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Of the window. The answers are in the language that you write, if the model knows it.</source>
        <translation>Die des Fensters. Antworten kommen in der Sprache der Frage, wenn das Modell sie kennt.</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>“As the system” follows the light or dark colours of the system.</source>
        <translation>„Wie das System“ folgt den hellen oder dunklen Farben des Systems.</translation>
    </message>
    <message>
        <source>Size of the text</source>
        <translation>Textgröße</translation>
    </message>
    <message>
        <source>1 is the usual one. Ctrl and plus or minus change it anywhere.</source>
        <translation>1 ist die übliche. Strg und Plus oder Minus ändern sie überall.</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>Bewegung</translation>
    </message>
    <message>
        <source>Animates changes in the window. If the system asks for less motion, nothing moves.</source>
        <translation>Animiert Änderungen im Fenster. Wünscht das System weniger Bewegung, bewegt sich nichts.</translation>
    </message>
    <message>
        <source>Folders with models</source>
        <translation>Ordner mit Modellen</translation>
    </message>
    <message>
        <source>Hearth searches these folders, and all folders in them, for models. Files stay where they are.</source>
        <translation>Hearth sucht in diesen Ordnern und allen darin nach Modellen. Die Dateien bleiben, wo sie sind.</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Where downloaded models go. Models are large: choose a disk with room. Nothing: beside your chats.</source>
        <translation>Der Ort für heruntergeladene Modelle. Modelle sind groß: bitte einen Datenträger mit Platz wählen. Leer: neben den Chats.</translation>
    </message>
    <message>
        <source>Allow requests</source>
        <translation>Anfragen erlauben</translation>
    </message>
    <message>
        <source>Mirror of the model hub</source>
        <translation>Spiegelserver des Modell-Hubs</translation>
    </message>
    <message>
        <source>Hearth downloads from this https:// address instead of the hub (http:// only on this computer). Its operator sees what you download.</source>
        <translation>Hearth lädt von dieser https://-Adresse statt vom Hub herunter (http:// nur auf diesem Computer). Ihr Betreiber sieht, was heruntergeladen wird.</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <source>“system”, “none”, or an address such as http://host:3128 or socks5://host:1080. No name and password: this file lies open.</source>
        <translation>„system“, „none“ oder eine Adresse wie http://host:3128 oder socks5://host:1080. Kein Name und Passwort: Diese Datei liegt offen.</translation>
    </message>
    <message>
        <source>Speed limit of downloads</source>
        <translation>Tempolimit für Downloads</translation>
    </message>
    <message>
        <source>Bytes a second, such as 2M. “none” sets no limit.</source>
        <translation>Bytes je Sekunde, etwa 2M. „none“ setzt keine Grenze.</translation>
    </message>
    <message>
        <source>%1 is not %2</source>
        <translation>%1 ist nicht %2</translation>
    </message>
    <message>
        <source>%1 is no whole path, which begins at the root</source>
        <translation>%1 ist kein vollständiger Pfad, der an der Wurzel beginnt</translation>
    </message>
    <message>
        <source>it is more than one path</source>
        <translation>es ist mehr als ein Pfad</translation>
    </message>
    <message>
        <source>these are too many folders</source>
        <translation>es sind zu viele Ordner</translation>
    </message>
    <message>
        <source>a name or password would lie open in the settings file, so none may be in it</source>
        <translation>ein Name oder Passwort läge in der Einstellungsdatei offen, daher darf keines darin stehen</translation>
    </message>
    <message>
        <source>it holds characters that are no text</source>
        <translation>es enthält Zeichen, die kein Text sind</translation>
    </message>
    <message>
        <source>it has %1 characters, and at most %2 may be</source>
        <translation>es hat %1 Zeichen, und höchstens %2 sind erlaubt</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>text of at most %1 characters</source>
        <translation>Text von höchstens %1 Zeichen</translation>
    </message>
    <message>
        <source>a whole path</source>
        <translation>ein vollständiger Pfad</translation>
    </message>
    <message>
        <source>whole paths</source>
        <translation>vollständige Pfade</translation>
    </message>
    <message>
        <source>an address that begins with https:// (with http:// only on this computer)</source>
        <translation>eine Adresse, die mit https:// beginnt (mit http:// nur auf diesem Computer)</translation>
    </message>
    <message>
        <source>%1 or %2</source>
        <translation>%1 oder %2</translation>
    </message>
    <message>
        <source>Model &amp; machine</source>
        <translation>Modell &amp; Computer</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Erscheinungsbild</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netzwerk</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Über</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>Lokale API</translation>
    </message>
    <message>
        <source>Let other programs use the model</source>
        <translation>Andere Programme das Modell benutzen lassen</translation>
    </message>
    <message>
        <source>Programs of this computer that know the token may ask the loaded model over HTTP, as OpenAI&apos;s and Anthropic&apos;s APIs do. Only this computer reaches it: it makes no request to elsewhere, and “Allow requests” of the network does not change it.</source>
        <translation>Programme dieses Computers, die das Zugriffstoken kennen, dürfen das geladene Modell über HTTP befragen, wie bei den APIs von OpenAI und Anthropic. Nur dieser Computer erreicht es: Es stellt keine Anfragen nach außen, und „Anfragen erlauben“ beim Netzwerk ändert daran nichts.</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>Part of the address. A change ends the connections that there are.</source>
        <translation>Teil der Adresse. Eine Änderung beendet die bestehenden Verbindungen.</translation>
    </message>
    <message>
        <source>Off: Hearth makes no request, downloads stop, and remote models do not answer. Chats leave this computer for a remote model that you choose, and for nothing else.</source>
        <translation>Aus: Hearth stellt keine Anfragen, Downloads halten an, und entfernte Modelle antworten nicht. Chats verlassen diesen Computer nur für ein gewähltes entferntes Modell.</translation>
    </message>
</context>
<context>
    <name>SettingsMenu</name>
    <message>
        <source>Colours of the system</source>
        <translation>Farben des Systems</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Bring back the last deleted chat</source>
        <translation>Zuletzt gelöschten Chat zurückholen</translation>
    </message>
    <message>
        <source>Ctrl+Z</source>
        <translation>Strg+Z</translation>
    </message>
    <message>
        <source>Import chats…</source>
        <translation>Chats importieren …</translation>
    </message>
    <message>
        <source>Export all chats…</source>
        <translation>Alle Chats exportieren …</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Ctrl+J</source>
        <translation>Strg+J</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netzwerk</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Einstellungen …</translation>
    </message>
    <message>
        <source>Ctrl+,</source>
        <translation>Strg+,</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>F1</source>
        <translation>F1</translation>
    </message>
    <message>
        <source>About Hearth</source>
        <translation>Über Hearth</translation>
    </message>
</context>
<context>
    <name>SettingsView</name>
    <message>
        <source>Back to the chat</source>
        <translation>Zurück zum Chat</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Search the settings</source>
        <translation>Einstellungen durchsuchen</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>An answer is being written. The model is loaded anew when it is done.</source>
        <translation>Eine Antwort wird geschrieben. Danach wird das Modell neu geladen.</translation>
    </message>
    <message>
        <source>Load now</source>
        <translation>Jetzt laden</translation>
    </message>
    <message>
        <source>Change it for %1 alone</source>
        <translation>Nur für %1 ändern</translation>
    </message>
    <message>
        <source>Show every request</source>
        <translation>Alle Anfragen zeigen</translation>
    </message>
    <message>
        <source>No setting matches these words.</source>
        <translation>Keine Einstellung passt zu diesen Wörtern.</translation>
    </message>
    <message>
        <source>Hearth %1</source>
        <translation>Hearth %1</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Datei wählen</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Ordner wählen</translation>
    </message>
    <message>
        <source>Choose this folder</source>
        <translation>Diesen Ordner wählen</translation>
    </message>
    <message>
        <source>%1 runs at %2, so its memory and speed are not this computer&apos;s. Settings that do not reach it say so; they hold for models here.</source>
        <translation>%1 läuft bei %2; Arbeitsspeicher und Tempo sind also nicht die dieses Computers. Einstellungen, die dort nicht wirken, sagen es; sie gelten für Modelle hier.</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>Nachricht senden</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Neue Zeile</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Umschalt+Eingabe</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>Erneut antworten</translation>
    </message>
    <message>
        <source>Ctrl+R</source>
        <translation>Strg+R</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Ctrl+N</source>
        <translation>Strg+N</translation>
    </message>
    <message>
        <source>Earlier or later chat in the list</source>
        <translation>Früherer oder späterer Chat in der Liste</translation>
    </message>
    <message>
        <source>Ctrl+Page Up / Down</source>
        <translation>Strg+Bild auf / ab</translation>
    </message>
    <message>
        <source>Rename the chat</source>
        <translation>Chat umbenennen</translation>
    </message>
    <message>
        <source>F2</source>
        <translation>F2</translation>
    </message>
    <message>
        <source>Instructions of the chat</source>
        <translation>Anweisungen des Chats</translation>
    </message>
    <message>
        <source>Ctrl+I</source>
        <translation>Strg+I</translation>
    </message>
    <message>
        <source>Menu of the chat chosen in the list</source>
        <translation>Menü des in der Liste gewählten Chats</translation>
    </message>
    <message>
        <source>Menu or Shift+F10</source>
        <translation>Menü oder Umschalt+F10</translation>
    </message>
    <message>
        <source>Delete the chat chosen in the list</source>
        <translation>In der Liste gewählten Chat löschen</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Entf</translation>
    </message>
    <message>
        <source>Bring back the chat deleted last</source>
        <translation>Zuletzt gelöschten Chat zurückholen</translation>
    </message>
    <message>
        <source>Ctrl+Z</source>
        <translation>Strg+Z</translation>
    </message>
    <message>
        <source>Show or hide the list of chats</source>
        <translation>Chatliste zeigen oder ausblenden</translation>
    </message>
    <message>
        <source>Ctrl+B</source>
        <translation>Strg+B</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>Alle Chats durchsuchen</translation>
    </message>
    <message>
        <source>Ctrl+Shift+F</source>
        <translation>Strg+Umschalt+F</translation>
    </message>
    <message>
        <source>Go to the message field</source>
        <translation>Zum Nachrichtenfeld</translation>
    </message>
    <message>
        <source>Ctrl+L</source>
        <translation>Strg+L</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Ctrl+,</source>
        <translation>Strg+,</translation>
    </message>
    <message>
        <source>Choose a message, then Tab to its links and actions</source>
        <translation>Nachricht wählen, dann mit Tab zu Links und Aktionen</translation>
    </message>
    <message>
        <source>Up / Down</source>
        <translation>Auf / Ab</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>Modell öffnen</translation>
    </message>
    <message>
        <source>Ctrl+O</source>
        <translation>Strg+O</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Ctrl+M</source>
        <translation>Strg+M</translation>
    </message>
    <message>
        <source>Neuron map</source>
        <translation>Neuronenkarte</translation>
    </message>
    <message>
        <source>Ctrl+Shift+M</source>
        <translation>Strg+Umschalt+M</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Ctrl+J</source>
        <translation>Strg+J</translation>
    </message>
    <message>
        <source>Larger, smaller, normal text</source>
        <translation>Text größer, kleiner, normal</translation>
    </message>
    <message>
        <source>Ctrl++ / Ctrl+− / Ctrl+0</source>
        <translation>Strg++ / Strg+− / Strg+0</translation>
    </message>
    <message>
        <source>This list</source>
        <translation>Diese Liste</translation>
    </message>
    <message>
        <source>F1 or Ctrl+/</source>
        <translation>F1 oder Strg+/</translation>
    </message>
    <message>
        <source>About Hearth</source>
        <translation>Über Hearth</translation>
    </message>
</context>
<context>
    <name>StoreError</name>
    <message>
        <source>The disk is full. Make some room on it, then try again.</source>
        <translation>Der Datenträger ist voll. Bitte Platz schaffen und es erneut versuchen.</translation>
    </message>
    <message>
        <source>The folder with your conversations cannot be written. Check its permissions, then try again.</source>
        <translation>In den Ordner mit den Chats kann nicht geschrieben werden. Bitte die Rechte prüfen und es erneut versuchen.</translation>
    </message>
    <message>
        <source>Another program is using the file with your conversations. Close it, then try again.</source>
        <translation>Ein anderes Programm benutzt die Datei mit den Chats. Bitte schließen und es erneut versuchen.</translation>
    </message>
    <message>
        <source>The file with your conversations is damaged. Restart Hearth: it keeps the file and begins a new one.</source>
        <translation>Die Datei mit den Chats ist beschädigt. Bitte Hearth neu starten: Die Datei wird aufbewahrt und eine neue begonnen.</translation>
    </message>
    <message>
        <source>The disk reported an error. Check it, then try again.</source>
        <translation>Der Datenträger meldet einen Fehler. Bitte prüfen und es erneut versuchen.</translation>
    </message>
</context>
<context>
    <name>TextRow</name>
    <message>
        <source>Add a folder…</source>
        <translation>Ordner hinzufügen …</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
</context>
<context>
    <name>ThoughtFold</name>
    <message>
        <source>Thinking…</source>
        <translation>Denkt nach …</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>Nachdenken</translation>
    </message>
    <message>
        <source>Hide the reasoning</source>
        <translation>Gedankengang ausblenden</translation>
    </message>
    <message>
        <source>Show the reasoning</source>
        <translation>Gedankengang zeigen</translation>
    </message>
    <message>
        <source>Hearth is thinking</source>
        <translation>Hearth denkt nach</translation>
    </message>
</context>
<context>
    <name>TitleBar</name>
    <message>
        <source>Show the list of chats</source>
        <translation>Chatliste zeigen</translation>
    </message>
    <message>
        <source>Ctrl+B</source>
        <translation>Strg+B</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Ctrl+N</source>
        <translation>Strg+N</translation>
    </message>
    <message>
        <source>New chat in %1</source>
        <translation>Neuer Chat in %1</translation>
    </message>
    <message>
        <source>Neuron map</source>
        <translation>Neuronenkarte</translation>
    </message>
    <message>
        <source>Ctrl+Shift+M</source>
        <translation>Strg+Umschalt+M</translation>
    </message>
</context>
<context>
    <name>TokenLine</name>
    <message>
        <source>There is an access token for %1. %2</source>
        <translation>Es gibt ein Zugriffstoken für %1. %2</translation>
    </message>
    <message>
        <source>Some models of %1 ask for an access token, which you get on its pages.</source>
        <translation>Manche Modelle von %1 verlangen ein Zugriffstoken, das es auf deren Seiten gibt.</translation>
    </message>
    <message>
        <source>Access token for %1</source>
        <translation>Zugriffstoken für %1</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>Zugriffstoken</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Keep the access token</source>
        <translation>Zugriffstoken behalten</translation>
    </message>
    <message>
        <source>Forget the token</source>
        <translation>Token vergessen</translation>
    </message>
</context>
<context>
    <name>ToolCalls</name>
    <message>
        <source>waits for your answer</source>
        <translation>wartet auf Ihre Antwort</translation>
    </message>
    <message>
        <source>is running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>abgelehnt</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>unterbrochen</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>%1 · %2 · %3</source>
        <translation>%1 · %2 · %3</translation>
    </message>
    <message>
        <source>Hide the call: %1</source>
        <translation>Aufruf ausblenden: %1</translation>
    </message>
    <message>
        <source>Show the call: %1</source>
        <translation>Aufruf zeigen: %1</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Show all of the result</source>
        <translation>Ganzes Ergebnis zeigen</translation>
    </message>
    <message>
        <source>Result of %1</source>
        <translation>Ergebnis von %1</translation>
    </message>
    <message>
        <source>Reasoning after it</source>
        <translation>Gedankengang danach</translation>
    </message>
</context>
<context>
    <name>ToolConfig</name>
    <message>
        <source>Give the server a name of at most 100 characters.</source>
        <translation>Bitte dem Server einen Namen von höchstens 100 Zeichen geben.</translation>
    </message>
    <message>
        <source>There is a server of this name already.</source>
        <translation>Es gibt bereits einen Server dieses Namens.</translation>
    </message>
    <message>
        <source>There are %1 servers already, and no more can be added.</source>
        <translation>Es gibt bereits %1 Server; mehr können nicht hinzukommen.</translation>
    </message>
    <message>
        <source>The command line is too long.</source>
        <translation>Die Befehlszeile ist zu lang.</translation>
    </message>
    <message>
        <source>Enter a command line, or an address that begins with https://.</source>
        <translation>Bitte eine Befehlszeile eingeben oder eine Adresse, die mit https:// beginnt.</translation>
    </message>
    <message>
        <source>What you set about tools is not saved: %1</source>
        <translation>Die Einstellungen zu Werkzeugen sind nicht gespeichert: %1</translation>
    </message>
</context>
<context>
    <name>ToolLogList</name>
    <message>
        <source>Log of tools</source>
        <translation>Protokoll der Werkzeuge</translation>
    </message>
    <message>
        <source>%1 · %2: %3</source>
        <translation>%1 · %2: %3</translation>
    </message>
</context>
<context>
    <name>ToolQuestion</name>
    <message>
        <source>The model wants to call “%1” of %2, with:</source>
        <translation>Das Modell möchte „%1“ von %2 aufrufen, mit:</translation>
    </message>
    <message>
        <source>Allow once</source>
        <translation>Einmal erlauben</translation>
    </message>
    <message>
        <source>Always in this chat: %1</source>
        <translation>Immer in diesem Chat: %1</translation>
    </message>
    <message>
        <source>Always in this project: %1</source>
        <translation>Immer in diesem Projekt: %1</translation>
    </message>
    <message>
        <source>Refuse</source>
        <translation>Ablehnen</translation>
    </message>
</context>
<context>
    <name>ToolServerDelegate</name>
    <message>
        <source>Server %1</source>
        <translation>Server %1</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the server %1</source>
        <translation>Server %1 entfernen</translation>
    </message>
    <message>
        <source>May use the network</source>
        <translation>Darf das Netzwerk benutzen</translation>
    </message>
    <message>
        <source>%1 may use the network</source>
        <translation>%1 darf das Netzwerk benutzen</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Startet …</translation>
    </message>
    <message>
        <source>Ready: %1. Tools: %2</source>
        <translation>Bereit: %1. Werkzeuge: %2</translation>
    </message>
    <message>
        <source>Start it again</source>
        <translation>Neu starten</translation>
    </message>
    <message>
        <source>Start the server %1 again</source>
        <translation>Server %1 neu starten</translation>
    </message>
</context>
<context>
    <name>ToolsDialog</name>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>A model may ask to call the tools that are on. Hearth shows you each call with its arguments and waits for your answer. Results can be wrong or meant to mislead.</source>
        <translation>Ein Modell kann darum bitten, eingeschaltete Werkzeuge aufzurufen. Hearth zeigt jeden Aufruf mit seinen Argumenten und wartet auf Antwort. Ergebnisse können falsch oder irreführend sein.</translation>
    </message>
    <message>
        <source>Of Hearth</source>
        <translation>Von Hearth</translation>
    </message>
    <message>
        <source>Calculate</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Tell the time</source>
        <translation>Uhrzeit nennen</translation>
    </message>
    <message>
        <source>List the chat&apos;s folder</source>
        <translation>Ordner des Chats auflisten</translation>
    </message>
    <message>
        <source>Read files of the chat&apos;s folder</source>
        <translation>Dateien im Ordner des Chats lesen</translation>
    </message>
    <message>
        <source>Search the chat&apos;s folder</source>
        <translation>Ordner des Chats durchsuchen</translation>
    </message>
    <message>
        <source>Fetch a page of the web</source>
        <translation>Webseite holen</translation>
    </message>
    <message>
        <source>This chat</source>
        <translation>Dieser Chat</translation>
    </message>
    <message>
        <source>No folder: files cannot be read.</source>
        <translation>Kein Ordner: Dateien können nicht gelesen werden.</translation>
    </message>
    <message>
        <source>The project&apos;s folder: %1</source>
        <translation>Der Ordner des Projekts: %1</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen …</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>No folder for this chat</source>
        <translation>Kein Ordner für diesen Chat</translation>
    </message>
    <message>
        <source>Ask again for all tools of this chat (%1 allowed)</source>
        <translation>Für alle Werkzeuge dieses Chats wieder fragen (%1 erlaubt)</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>A server is a program of somebody else that speaks the Model Context Protocol. It runs with your rights: it can read your files. Without the permission below it reaches no network.</source>
        <translation>Ein Server ist ein fremdes Programm, das das Model Context Protocol spricht. Er läuft mit Ihren Rechten: Er kann Ihre Dateien lesen. Ohne die Erlaubnis unten erreicht er kein Netzwerk.</translation>
    </message>
    <message>
        <source>A server is a program of somebody else that speaks the Model Context Protocol. It runs with your rights: it can read your files. On this system Hearth cannot shut it out of the network, and starts it only if you allow the network.</source>
        <translation>Ein Server ist ein fremdes Programm, das das Model Context Protocol spricht. Er läuft mit Ihren Rechten: Er kann Ihre Dateien lesen. Auf diesem System kann Hearth ihn nicht vom Netzwerk fernhalten und startet ihn nur, wenn das Netzwerk erlaubt ist.</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Nothing was called since Hearth started.</source>
        <translation>Seit dem Start von Hearth wurde nichts aufgerufen.</translation>
    </message>
</context>
<context>
    <name>ToolsPill</name>
    <message>
        <source>Tools: %1</source>
        <translation>Werkzeuge: %1</translation>
    </message>
    <message>
        <source>Tools: %1, a folder</source>
        <translation>Werkzeuge: %1, ein Ordner</translation>
    </message>
    <message>
        <source>Opens the page of tools</source>
        <translation>Öffnet die Seite der Werkzeuge</translation>
    </message>
    <message>
        <source>The tools that the model may ask to call</source>
        <translation>Die Werkzeuge, um deren Aufruf das Modell bitten darf</translation>
    </message>
</context>
<context>
    <name>UsedPassages</name>
    <message>
        <source>Passages used:</source>
        <translation>Verwendete Abschnitte:</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ActiveModel</name>
    <message>
        <source>Only a file on this computer can be opened.</source>
        <translation>Nur eine Datei auf diesem Computer kann geöffnet werden.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::AppController</name>
    <message>
        <source>The report could not be deleted. It lies in %1.</source>
        <translation>Der Bericht konnte nicht gelöscht werden. Er liegt in %1.</translation>
    </message>
    <message>
        <source>Downloaded</source>
        <translation>Heruntergeladen</translation>
    </message>
    <message>
        <source>%1 is downloaded.</source>
        <translation>%1 ist heruntergeladen.</translation>
    </message>
    <message>
        <source>Prepared</source>
        <translation>Vorbereitet</translation>
    </message>
    <message>
        <source>%1 is prepared: its copy is among the models.</source>
        <translation>%1 ist vorbereitet: Die Kopie steht bei den Modellen.</translation>
    </message>
    <message>
        <source>%1 was not prepared. %2</source>
        <translation>%1 wurde nicht vorbereitet. %2</translation>
    </message>
    <message>
        <source>Preparing %1 was interrupted. On the models page you can continue it or delete the unfinished copy.</source>
        <translation>Das Vorbereiten von %1 wurde unterbrochen. Auf der Seite der Modelle lässt es sich fortsetzen oder die unfertige Kopie löschen.</translation>
    </message>
    <message>
        <source>Hearth ended unexpectedly last time. A report without any chat text was written, and nothing was sent. It lies in %1</source>
        <translation>Hearth wurde beim letzten Mal unerwartet beendet. Ein Bericht ohne Text aus Chats wurde geschrieben und nichts gesendet. Er liegt in %1</translation>
    </message>
    <message>
        <source>Version %1</source>
        <translation>Version %1</translation>
    </message>
    <message>
        <source>Version %1, commit %2, with changes</source>
        <translation>Version %1, Commit %2, mit Änderungen</translation>
    </message>
    <message>
        <source>Version %1, commit %2</source>
        <translation>Version %1, Commit %2</translation>
    </message>
</context>
<context>
    <name>hearth::ui::AppSettings</name>
    <message>
        <source>The settings in %1 are not read: it is no file, or it is too large. Changes are not kept now.</source>
        <translation>Die Einstellungen in %1 werden nicht gelesen: Es ist keine Datei, oder sie ist zu groß. Änderungen werden jetzt nicht gespeichert.</translation>
    </message>
    <message>
        <source>Parts of the settings in %1 cannot be read. A copy of the file as it was is kept as %2.</source>
        <translation>Teile der Einstellungen in %1 sind nicht lesbar. Eine Kopie der ursprünglichen Datei liegt als %2 vor.</translation>
    </message>
    <message>
        <source>The settings in %1 cannot be read. Check the permissions of the file.</source>
        <translation>Die Einstellungen in %1 sind nicht lesbar. Bitte die Rechte der Datei prüfen.</translation>
    </message>
    <message numerus="yes">
        <source>There are %n more.</source>
        <translation>
            <numerusform>Es gibt noch einen.</numerusform>
            <numerusform>Es gibt noch %n.</numerusform>
        </translation>
    </message>
    <message>
        <source>Some settings make no sense, so their defaults are used.</source>
        <translation>Einige Einstellungen ergeben keinen Sinn; dafür gelten die Standardwerte.</translation>
    </message>
    <message>
        <source>“%1” is not KEY=VALUE.</source>
        <translation>„%1“ ist nicht SCHLÜSSEL=WERT.</translation>
    </message>
    <message>
        <source>There is no setting “%1”.</source>
        <translation>Es gibt keine Einstellung „%1“.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::Attachments</name>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>being read…</source>
        <translation>wird gelesen …</translation>
    </message>
    <message>
        <source>Not attached: a message takes %1 files at most.</source>
        <translation>Nicht angehängt: Eine Nachricht fasst höchstens %1 Dateien.</translation>
    </message>
    <message>
        <source>%1 was not attached.</source>
        <translation>%1 wurde nicht angehängt.</translation>
    </message>
    <message>
        <source>%1 is still attached.</source>
        <translation>%1 ist noch angehängt.</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>about %1 tokens</source>
        <translation>etwa %1 Token</translation>
    </message>
    <message>
        <source>, only its beginning is read</source>
        <translation>, nur der Anfang wird gelesen</translation>
    </message>
    <message>
        <source>%1, too long to go in whole: its passages are searched</source>
        <translation>%1, zu lang für das Ganze: Abschnitte werden durchsucht</translation>
    </message>
    <message>
        <source>whole</source>
        <translation>ganz</translation>
    </message>
    <message>
        <source>page %1</source>
        <translation>Seite %1</translation>
    </message>
    <message>
        <source>passage %1</source>
        <translation>Abschnitt %1</translation>
    </message>
</context>
<context>
    <name>hearth::ui::BuiltInTools</name>
    <message>
        <source>There is no time zone &quot;%1&quot;.</source>
        <translation>Es gibt keine Zeitzone „%1“.</translation>
    </message>
    <message>
        <source>Addresses of this computer and of its network are not fetched for a model.</source>
        <translation>Adressen dieses Computers und seines Netzes werden für ein Modell nicht geholt.</translation>
    </message>
    <message>
        <source>The user has chosen no folder for this chat.</source>
        <translation>Für diesen Chat wurde kein Ordner gewählt.</translation>
    </message>
    <message>
        <source>There is no such tool.</source>
        <translation>Ein solches Werkzeug gibt es nicht.</translation>
    </message>
    <message>
        <source>A page that a model asked for</source>
        <translation>Eine Seite, um die ein Modell bat</translation>
    </message>
    <message>
        <source>The address leads to no text.</source>
        <translation>Die Adresse führt zu keinem Text.</translation>
    </message>
    <message>
        <source>
[The page is longer. It ends here.]</source>
        <translation>
[Die Seite ist länger. Sie endet hier.]</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>Hearth</source>
        <translation>Hearth</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ChatExchange</name>
    <message>
        <source>Another export or import is still under way.</source>
        <translation>Ein anderer Export oder Import läuft noch.</translation>
    </message>
    <message>
        <source>The chat could not be exported.</source>
        <translation>Der Chat konnte nicht exportiert werden.</translation>
    </message>
    <message>
        <source>The chat is exported to %1.</source>
        <translation>Der Chat ist nach %1 exportiert.</translation>
    </message>
    <message>
        <source>The chat could not be exported. %1</source>
        <translation>Der Chat konnte nicht exportiert werden. %1</translation>
    </message>
    <message>
        <source>There is no chat to export.</source>
        <translation>Es gibt keinen Chat zum Exportieren.</translation>
    </message>
    <message numerus="yes">
        <source>%n chats are exported to %1.</source>
        <translation>
            <numerusform>Ein Chat ist nach %1 exportiert.</numerusform>
            <numerusform>%n Chats sind nach %1 exportiert.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 was not imported. %2</source>
        <translation>%1 wurde nicht importiert. %2</translation>
    </message>
    <message>
        <source>The chats were not imported.</source>
        <translation>Die Chats wurden nicht importiert.</translation>
    </message>
    <message>
        <source>No chat was imported.</source>
        <translation>Kein Chat wurde importiert.</translation>
    </message>
    <message numerus="yes">
        <source>%n chats were imported, the others not.</source>
        <translation>
            <numerusform>Ein Chat wurde importiert, die anderen nicht.</numerusform>
            <numerusform>%n Chats wurden importiert, die anderen nicht.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chats are imported.</source>
        <translation>
            <numerusform>Ein Chat ist importiert.</numerusform>
            <numerusform>%n Chats sind importiert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more could not be read.</source>
        <translation>
            <numerusform>Ein weiterer war nicht lesbar.</numerusform>
            <numerusform>%n weitere waren nicht lesbar.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The texts of %n attached files are missing.</source>
        <translation>
            <numerusform>Der Text einer angehängten Datei fehlt.</numerusform>
            <numerusform>Die Texte von %n angehängten Dateien fehlen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::ChatSearch</name>
    <message>
        <source>Chats cannot be searched while their folder cannot be written.</source>
        <translation>Chats lassen sich nicht durchsuchen, solange in ihren Ordner nicht geschrieben werden kann.</translation>
    </message>
    <message>
        <source>%1 % of the messages are searched so far.</source>
        <translation>Bisher sind %1 % der Nachrichten durchsucht.</translation>
    </message>
    <message>
        <source>No message has these words.</source>
        <translation>Keine Nachricht enthält diese Wörter.</translation>
    </message>
    <message>
        <source>The latest %1. Type more to find earlier ones.</source>
        <translation>Die neuesten %1. Mehr eintippen, um frühere zu finden.</translation>
    </message>
    <message>
        <source>No message of this project has these words.</source>
        <translation>Keine Nachricht dieses Projekts enthält diese Wörter.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ChatTools</name>
    <message>
        <source>The folder is not saved.</source>
        <translation>Der Ordner ist nicht gespeichert.</translation>
    </message>
    <message>
        <source>The permission is not saved: Hearth will ask again.</source>
        <translation>Die Erlaubnis ist nicht gespeichert: Hearth wird wieder fragen.</translation>
    </message>
    <message>
        <source>The permissions could not be withdrawn.</source>
        <translation>Die Erlaubnisse konnten nicht zurückgenommen werden.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::Chats</name>
    <message>
        <source>The other version could not be shown.</source>
        <translation>Die andere Version konnte nicht gezeigt werden.</translation>
    </message>
    <message>
        <source>The conversation was not moved.</source>
        <translation>Der Chat wurde nicht verschoben.</translation>
    </message>
    <message>
        <source>The project was not deleted.</source>
        <translation>Das Projekt wurde nicht gelöscht.</translation>
    </message>
    <message>
        <source>Nothing can be changed here: another window is open, or the conversations are of a newer version of Hearth.</source>
        <translation>Hier lässt sich nichts ändern: Ein anderes Fenster ist offen, oder die Chats sind von einer neueren Version von Hearth.</translation>
    </message>
    <message>
        <source>The conversation was not renamed.</source>
        <translation>Der Chat wurde nicht umbenannt.</translation>
    </message>
    <message>
        <source>The conversation was not pinned.</source>
        <translation>Der Chat wurde nicht angeheftet.</translation>
    </message>
    <message>
        <source>The instructions were not saved.</source>
        <translation>Die Anweisungen wurden nicht gespeichert.</translation>
    </message>
    <message>
        <source>The conversation was not deleted.</source>
        <translation>Der Chat wurde nicht gelöscht.</translation>
    </message>
    <message numerus="yes">
        <source>Deleted: %n chats, the latest “%1”</source>
        <translation>
            <numerusform>Gelöscht: „%1“</numerusform>
            <numerusform>Gelöscht: %n Chats, zuletzt „%1“</numerusform>
        </translation>
    </message>
    <message>
        <source>The conversation was not brought back.</source>
        <translation>Der Chat wurde nicht zurückgeholt.</translation>
    </message>
    <message>
        <source>The change was not saved.</source>
        <translation>Die Änderung wurde nicht gespeichert.</translation>
    </message>
    <message>
        <source>Your message was not sent; it is still in the input field.</source>
        <translation>Die Nachricht wurde nicht gesendet; sie steht noch im Eingabefeld.</translation>
    </message>
    <message>
        <source>Your message was not sent.</source>
        <translation>Die Nachricht wurde nicht gesendet.</translation>
    </message>
    <message>
        <source>What you are writing is not saved yet.</source>
        <translation>Der Entwurf ist noch nicht gespeichert.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ConversationListModel</name>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
</context>
<context>
    <name>hearth::ui::DocumentPage</name>
    <message>
        <source>The text is being opened…</source>
        <translation>Der Text wird geöffnet …</translation>
    </message>
    <message>
        <source>The text of this document is not there any more.</source>
        <translation>Der Text dieses Dokuments ist nicht mehr da.</translation>
    </message>
    <message>
        <source>Page %1</source>
        <translation>Seite %1</translation>
    </message>
</context>
<context>
    <name>hearth::ui::DoorReply</name>
    <message>
        <source>broken off</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>Es wurde angehalten.</translation>
    </message>
    <message>
        <source>You have switched all network requests off.</source>
        <translation>Alle Netzwerkanfragen sind ausgeschaltet.</translation>
    </message>
    <message>
        <source>This is no address of a web server; it should begin with https://.</source>
        <translation>Dies ist keine Adresse eines Webservers; sie sollte mit https:// beginnen.</translation>
    </message>
    <message>
        <source>This system has no library for secure connections (OpenSSL 3).</source>
        <translation>Diesem System fehlt die Bibliothek für sichere Verbindungen (OpenSSL 3).</translation>
    </message>
    <message>
        <source>The server redirected the request to something that is no web address.</source>
        <translation>Der Server leitete die Anfrage zu etwas um, das keine Webadresse ist.</translation>
    </message>
    <message>
        <source>The server redirected the request to an address that is not secure (%1).</source>
        <translation>Der Server leitete die Anfrage zu einer unsicheren Adresse um (%1).</translation>
    </message>
    <message>
        <source>The server redirected the request to another address.</source>
        <translation>Der Server leitete die Anfrage zu einer anderen Adresse um.</translation>
    </message>
    <message>
        <source>The servers redirected the request too often.</source>
        <translation>Die Server leiteten die Anfrage zu oft um.</translation>
    </message>
    <message>
        <source>redirected to %1</source>
        <translation>umgeleitet zu %1</translation>
    </message>
    <message>
        <source>%1 cannot be found. Is this computer connected to a network?</source>
        <translation>%1 ist nicht zu finden. Ist dieser Computer mit einem Netzwerk verbunden?</translation>
    </message>
    <message>
        <source>The connection to %1 is not safe: %2. Nothing was fetched.</source>
        <translation>Die Verbindung zu %1 ist nicht sicher: %2. Nichts wurde geholt.</translation>
    </message>
    <message>
        <source>The proxy refuses the connection. Check the proxy in the settings.</source>
        <translation>Der Proxy verweigert die Verbindung. Bitte den Proxy in den Einstellungen prüfen.</translation>
    </message>
    <message>
        <source>The connection to %1 was lost.</source>
        <translation>Die Verbindung zu %1 ging verloren.</translation>
    </message>
    <message>
        <source>not sent: switched off</source>
        <translation>nicht gesendet: ausgeschaltet</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
</context>
<context>
    <name>hearth::ui::DownloadQueue</name>
    <message>
        <source>Download of %1</source>
        <translation>Download von %1</translation>
    </message>
    <message>
        <source>It needs %1 more on the disk, and %2 are free. Make room, then go on.</source>
        <translation>Es fehlen %1 auf dem Datenträger, und %2 sind frei. Bitte Platz schaffen und dann fortfahren.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::Downloads</name>
    <message>
        <source>Hearth is open in another window; download it there.</source>
        <translation>Hearth ist in einem anderen Fenster geöffnet; bitte dort herunterladen.</translation>
    </message>
    <message>
        <source>%1 is among the downloads already.</source>
        <translation>%1 ist bereits unter den Downloads.</translation>
    </message>
    <message>
        <source>There is a file named %1 in this folder already.</source>
        <translation>In diesem Ordner gibt es bereits eine Datei namens %1.</translation>
    </message>
    <message numerus="yes">
        <source>%n downloads</source>
        <translation>
            <numerusform>%n Download</numerusform>
            <numerusform>%n Downloads</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · %2 %</source>
        <translation>%1 · %2 %</translation>
    </message>
</context>
<context>
    <name>hearth::ui::EngineStatus</name>
    <message>
        <source>context %1</source>
        <translation>Kontext %1</translation>
    </message>
    <message numerus="yes">
        <source>%n threads</source>
        <translation>
            <numerusform>%n Thread</numerusform>
            <numerusform>%n Threads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::FileDownload</name>
    <message>
        <source>The server sends the file compressed (%1), although Hearth asked for it uncompressed.</source>
        <translation>Der Server sendet die Datei komprimiert (%1), obwohl Hearth sie unkomprimiert verlangt hat.</translation>
    </message>
    <message>
        <source>The server answers with nothing (%1).</source>
        <translation>Der Server antwortet mit nichts (%1).</translation>
    </message>
    <message>
        <source>Hearth asked for the whole file, and the server sends only a part.</source>
        <translation>Hearth hat die ganze Datei verlangt, und der Server sendet nur einen Teil.</translation>
    </message>
    <message>
        <source>The server sends another part of the file than Hearth asked for.</source>
        <translation>Der Server sendet einen anderen Teil der Datei, als Hearth verlangt hat.</translation>
    </message>
    <message>
        <source>The server says that this part of the file does not exist.</source>
        <translation>Laut Server gibt es diesen Teil der Datei nicht.</translation>
    </message>
    <message>
        <source>The download started over %1 times: the file on the server changes, or the connection breaks off and this server cannot go on where it was. Try again later.</source>
        <translation>Der Download begann %1-mal von vorn: Die Datei auf dem Server ändert sich, oder die Verbindung bricht ab und der Server kann nicht dort weitermachen. Bitte später erneut versuchen.</translation>
    </message>
    <message>
        <source>Nothing came from the server for %1 seconds.</source>
        <translation>Vom Server kam %1 Sekunden lang nichts.</translation>
    </message>
    <message>
        <source>There is a file named %1 already. Move it away, or choose another folder.</source>
        <translation>Es gibt bereits eine Datei namens %1. Bitte verschieben oder einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>The server stopped before the end of the file.</source>
        <translation>Der Server hörte vor dem Ende der Datei auf.</translation>
    </message>
    <message>
        <source>%1 It was tried %2 times; try again later.</source>
        <translation>%1 Es wurde %2-mal versucht; bitte später erneut versuchen.</translation>
    </message>
    <message>
        <source>The server&apos;s file is not the one that was promised: its SHA-256 differs. Nothing of it was kept.</source>
        <translation>Die Datei des Servers ist nicht die angekündigte: Ihr SHA-256 weicht ab. Nichts davon wurde behalten.</translation>
    </message>
    <message>
        <source>There is a file named %1 already. Move it away, then try again.</source>
        <translation>Es gibt bereits eine Datei namens %1. Bitte verschieben und es erneut versuchen.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::FolderView</name>
    <message>
        <source>This folder does not exist or cannot be read.</source>
        <translation>Dieser Ordner fehlt oder ist nicht lesbar.</translation>
    </message>
    <message>
        <source>Only %1 entries of this folder are shown. Type the rest of the path above.</source>
        <translation>Nur %1 Einträge dieses Ordners werden gezeigt. Bitte den Rest des Pfades oben eingeben.</translation>
    </message>
    <message>
        <source>There are no folders here.</source>
        <translation>Hier gibt es keine Ordner.</translation>
    </message>
    <message>
        <source>There is nothing here.</source>
        <translation>Hier ist nichts.</translation>
    </message>
    <message>
        <source>There are no folders and no models (%1) here.</source>
        <translation>Hier gibt es keine Ordner und keine Modelle (%1).</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>Persönlicher Ordner</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>There is no file or folder at this path. Check how it is written.</source>
        <translation>Unter diesem Pfad gibt es keine Datei und keinen Ordner. Bitte die Schreibweise prüfen.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::HeaderFetch</name>
    <message>
        <source>The header could not be written to %1: %2.</source>
        <translation>Der Kopf konnte nicht nach %1 geschrieben werden: %2.</translation>
    </message>
    <message>
        <source>Header of %1</source>
        <translation>Kopf von %1</translation>
    </message>
    <message>
        <source>The server sends the whole file instead of its beginning, so there is no forecast before the download.</source>
        <translation>Der Server sendet die ganze Datei statt ihres Anfangs; daher gibt es vor dem Download keine Prognose.</translation>
    </message>
    <message>
        <source>The server does not say which part of the file it sends. Try again later, or download the model without a forecast.</source>
        <translation>Der Server sagt nicht, welchen Teil der Datei er sendet. Bitte später erneut versuchen oder das Modell ohne Prognose herunterladen.</translation>
    </message>
    <message>
        <source>The file changed on the server meanwhile. Try again.</source>
        <translation>Die Datei auf dem Server hat sich inzwischen geändert. Bitte erneut versuchen.</translation>
    </message>
    <message>
        <source>The server gives an impossible size for the file: %1 bytes.</source>
        <translation>Der Server nennt eine unmögliche Größe für die Datei: %1 Bytes.</translation>
    </message>
    <message>
        <source>The file on the server is no model, despite its name.</source>
        <translation>Die Datei auf dem Server ist trotz ihres Namens kein Modell.</translation>
    </message>
    <message>
        <source>The model on the server is cut off: its header ends in the middle.</source>
        <translation>Das Modell auf dem Server ist abgeschnitten: Sein Kopf endet mittendrin.</translation>
    </message>
    <message>
        <source>The header of the model is larger than %1, which no model needs.</source>
        <translation>Der Kopf des Modells ist größer als %1; so viel braucht kein Modell.</translation>
    </message>
    <message>
        <source>Activation profile of %1</source>
        <translation>Aktivierungsprofil von %1</translation>
    </message>
</context>
<context>
    <name>hearth::ui::HttpTransport</name>
    <message>
        <source>The server leaves too many requests without an answer.</source>
        <translation>Der Server lässt zu viele Anfragen unbeantwortet.</translation>
    </message>
    <message>
        <source>A server of tools</source>
        <translation>Ein Werkzeugserver</translation>
    </message>
    <message>
        <source>The server sent a message that is too long.</source>
        <translation>Der Server sandte eine zu lange Nachricht.</translation>
    </message>
    <message>
        <source>The server has forgotten this session. Switch it off and on again.</source>
        <translation>Der Server hat diese Sitzung vergessen. Bitte aus- und wieder einschalten.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::HubSearch</name>
    <message>
        <source>Some of its files are missing on the hub.</source>
        <translation>Einige Dateien davon fehlen auf dem Hub.</translation>
    </message>
    <message>
        <source>The part of another model that looks at pictures; Hearth cannot use it.</source>
        <translation>Der Teil eines anderen Modells, der Bilder betrachtet; Hearth kann ihn nicht verwenden.</translation>
    </message>
    <message>
        <source>Notes about the making of other files, and no model.</source>
        <translation>Notizen zur Herstellung anderer Dateien und kein Modell.</translation>
    </message>
    <message>
        <source>Hearth cannot run weights of the type %1 yet.</source>
        <translation>Hearth kann Gewichte vom Typ %1 noch nicht ausführen.</translation>
    </message>
    <message>
        <source>licence: see its page</source>
        <translation>Lizenz: siehe Seite</translation>
    </message>
    <message>
        <source>licence: %1</source>
        <translation>Lizenz: %1</translation>
    </message>
    <message>
        <source>Search for models: %1</source>
        <translation>Suche nach Modellen: %1</translation>
    </message>
    <message>
        <source>No model with GGUF files was found for these words.</source>
        <translation>Zu diesen Wörtern wurde kein Modell mit GGUF-Dateien gefunden.</translation>
    </message>
    <message>
        <source>These are the %1 most downloaded. Add words to find fewer.</source>
        <translation>Dies sind die %1 meistgeladenen. Mehr Wörter finden weniger.</translation>
    </message>
    <message numerus="yes">
        <source>%n found.</source>
        <translation>
            <numerusform>%n gefunden.</numerusform>
            <numerusform>%n gefunden.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left out: the hub&apos;s data about them make no sense.</source>
        <translation>
            <numerusform>%n ausgelassen: Die Angaben des Hubs dazu ergeben keinen Sinn.</numerusform>
            <numerusform>%n ausgelassen: Die Angaben des Hubs dazu ergeben keinen Sinn.</numerusform>
        </translation>
    </message>
    <message>
        <source>Files of %1</source>
        <translation>Dateien von %1</translation>
    </message>
    <message>
        <source>It has no GGUF file that can be downloaded.</source>
        <translation>Es hat keine GGUF-Datei, die sich herunterladen lässt.</translation>
    </message>
    <message numerus="yes">
        <source>%n of its files left out: the hub&apos;s data about them make no sense.</source>
        <translation>
            <numerusform>%n Datei davon ausgelassen: Die Angaben des Hubs dazu ergeben keinen Sinn.</numerusform>
            <numerusform>%n Dateien davon ausgelassen: Die Angaben des Hubs dazu ergeben keinen Sinn.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 downloads lately</source>
        <translation>%1 Downloads in letzter Zeit</translation>
    </message>
    <message>
        <source>only with a token</source>
        <translation>nur mit Token</translation>
    </message>
    <message>
        <source>The hub names no licence; its page may.</source>
        <translation>Der Hub nennt keine Lizenz, vielleicht aber die Seite.</translation>
    </message>
    <message>
        <source>Licence: %1. Its page has the full text.</source>
        <translation>Lizenz: %1. Den ganzen Text hat die Seite.</translation>
    </message>
    <message>
        <source>Its makers ask you to accept its terms on that page first; your token shows that you did.</source>
        <translation>Die Hersteller verlangen, zuerst auf dieser Seite die Bedingungen anzunehmen; das Token weist das nach.</translation>
    </message>
    <message>
        <source>Its makers ask you to accept its terms on that page first, and to show who you are: enter your access token under “Network”.</source>
        <translation>Die Hersteller verlangen, zuerst auf dieser Seite die Bedingungen anzunehmen und sich auszuweisen: bitte das Zugriffstoken unter „Netzwerk“ eingeben.</translation>
    </message>
    <message>
        <source>size not known</source>
        <translation>Größe unbekannt</translation>
    </message>
    <message numerus="yes">
        <source>%n files</source>
        <translation>
            <numerusform>%n Datei</numerusform>
            <numerusform>%n Dateien</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::Letters</name>
    <message>
        <source>Chinese, Japanese or Korean characters</source>
        <translation>chinesischen, japanischen oder koreanischen Zeichen</translation>
    </message>
    <message>
        <source>emoji</source>
        <translation>Emoji</translation>
    </message>
    <message>
        <source>other characters</source>
        <translation>anderen Zeichen</translation>
    </message>
    <message>
        <source>No font on this computer has the %1 in this message.</source>
        <translation>Keine Schrift auf diesem Computer hat die %1 in dieser Nachricht.</translation>
    </message>
    <message>
        <source> and </source>
        <translation> und </translation>
    </message>
    <message>
        <source>%1 Install %2 to see them.</source>
        <translation>%1 Um sie zu sehen, bitte %2 installieren.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::LocalPacking</name>
    <message>
        <source>No folder for the copy can be written. Choose a folder for downloads in the settings.</source>
        <translation>Kein Ordner für die Kopie ist beschreibbar. Bitte in den Einstellungen einen Ordner für Downloads wählen.</translation>
    </message>
    <message>
        <source>There is a file named “%1” already, in %2. It may be the prepared copy: use that one, or delete it first.</source>
        <translation>Es gibt bereits eine Datei namens „%1“ in %2. Vielleicht ist es die vorbereitete Kopie: bitte diese verwenden oder zuerst löschen.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::LocalServing</name>
    <message>
        <source>Port %1 is used by another program. Choose another port, or end that program.</source>
        <translation>Port %1 wird von einem anderen Programm benutzt. Bitte einen anderen Port wählen oder jenes Programm beenden.</translation>
    </message>
    <message>
        <source>The system does not let Hearth listen at port %1. Choose one above 1023.</source>
        <translation>Das System lässt Hearth nicht auf Port %1 zu. Bitte einen über 1023 wählen.</translation>
    </message>
    <message>
        <source>The local API could not start: %1.</source>
        <translation>Die lokale API konnte nicht starten: %1.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::McpClient</name>
    <message>
        <source>The server did not answer in time.</source>
        <translation>Der Server antwortete nicht rechtzeitig.</translation>
    </message>
    <message>
        <source>The tool did not answer in time.</source>
        <translation>Das Werkzeug antwortete nicht rechtzeitig.</translation>
    </message>
    <message>
        <source>The server is not ready.</source>
        <translation>Der Server ist nicht bereit.</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>The server floods Hearth with messages and was ended.</source>
        <translation>Der Server überflutete Hearth mit Nachrichten und wurde beendet.</translation>
    </message>
    <message>
        <source>A message was left out: %1</source>
        <translation>Eine Nachricht wurde ausgelassen: %1</translation>
    </message>
    <message>
        <source>An answer to no question was left out.</source>
        <translation>Eine Antwort auf keine Frage wurde ausgelassen.</translation>
    </message>
    <message>
        <source>The server refuses: %1</source>
        <translation>Der Server lehnt ab: %1</translation>
    </message>
    <message>
        <source>
[The result is longer. It ends here.]</source>
        <translation>
[Das Ergebnis ist länger. Es endet hier.]</translation>
    </message>
    <message>
        <source>Hearth cannot speak with the server: %1</source>
        <translation>Hearth kann nicht mit dem Server sprechen: %1</translation>
    </message>
    <message>
        <source>The server has no tools.</source>
        <translation>Der Server hat keine Werkzeuge.</translation>
    </message>
    <message>
        <source>Tools that were left out: %1</source>
        <translation>Ausgelassene Werkzeuge: %1</translation>
    </message>
</context>
<context>
    <name>hearth::ui::MessageListModel</name>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 Token/s</translation>
    </message>
    <message>
        <source>first token %1 ms</source>
        <translation>erstes Token %1 ms</translation>
    </message>
    <message>
        <source>first token %1 s</source>
        <translation>erstes Token %1 s</translation>
    </message>
    <message>
        <source>experts: %1</source>
        <translation>Experten: %1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln tokens</source>
        <translation>
            <numerusform>%Ln Token</numerusform>
            <numerusform>%Ln Token</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::ModelLibrary</name>
    <message>
        <source>%1 is open. Open another model first, then delete this one.</source>
        <translation>%1 ist geöffnet. Bitte zuerst ein anderes Modell öffnen und dann dieses löschen.</translation>
    </message>
    <message>
        <source>%1 came with Hearth: its file stays, and it is only taken off this list.</source>
        <translation>%1 kam mit Hearth: Die Datei bleibt, und nur der Eintrag verschwindet aus dieser Liste.</translation>
    </message>
    <message>
        <source>%1 belongs to %2: its file stays, and it is only taken off this list. Delete it in %2.</source>
        <translation>%1 gehört zu %2: Die Datei bleibt, und nur der Eintrag verschwindet aus dieser Liste. Gelöscht wird in %2.</translation>
    </message>
    <message>
        <source>%1 is in the bin. Its space is free once the bin is emptied.</source>
        <translation>%1 ist im Papierkorb. Der Platz wird frei, wenn der Papierkorb geleert ist.</translation>
    </message>
    <message>
        <source>%1 is back in the list.</source>
        <translation>%1 ist wieder in der Liste.</translation>
    </message>
    <message>
        <source>%1 is back.</source>
        <translation>%1 ist wieder da.</translation>
    </message>
    <message>
        <source>The folder could not be shown. It is %1.</source>
        <translation>Der Ordner konnte nicht gezeigt werden. Es ist %1.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ModelOffers</name>
    <message>
        <source>It is not known beforehand whether its file has a chat template. “How would it run here?” looks.</source>
        <translation>Ob die Datei eine Chatvorlage hat, ist vorher nicht bekannt. „Wie liefe es hier?“ sieht nach.</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>sparse</source>
        <translation>dünn besetzt</translation>
    </message>
    <message>
        <source>licence: see %1</source>
        <translation>Lizenz: siehe %1</translation>
    </message>
    <message>
        <source>licence: %1</source>
        <translation>Lizenz: %1</translation>
    </message>
    <message>
        <source>cannot be verified: no SHA-256 is known</source>
        <translation>nicht prüfbar: kein SHA-256 bekannt</translation>
    </message>
    <message>
        <source>For this computer: %1 (%2). The memory that this computer and %3 can spare holds it together, %4 and %5.</source>
        <translation>Für diesen Computer: %1 (%2). Der freie Speicher dieses Computers und von %3 fasst es zusammen, %4 und %5.</translation>
    </message>
    <message>
        <source>For this computer: %1 (%2). It fits whole into the memory that %3 can spare, %4.</source>
        <translation>Für diesen Computer: %1 (%2). Es passt ganz in den freien Speicher von %3, %4.</translation>
    </message>
    <message>
        <source>For this computer: %1 (%2). It fits into the memory that this computer can spare, %3, and the processor answers with it.</source>
        <translation>Für diesen Computer: %1 (%2). Es passt in den freien Arbeitsspeicher, %3, und der Prozessor antwortet damit.</translation>
    </message>
    <message>
        <source>The address has to end with the name of a .gguf file.</source>
        <translation>Die Adresse muss mit dem Namen einer .gguf-Datei enden.</translation>
    </message>
    <message>
        <source>The address names a part of a model that cannot be: %1.</source>
        <translation>Die Adresse nennt einen Modellteil, den es nicht geben kann: %1.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ModelPacking</name>
    <message>
        <source>less than a minute</source>
        <translation>weniger als eine Minute</translation>
    </message>
    <message numerus="yes">
        <source>about %n minutes</source>
        <translation>
            <numerusform>etwa eine Minute</numerusform>
            <numerusform>etwa %n Minuten</numerusform>
        </translation>
    </message>
    <message>
        <source>Hearth is open in another window; prepare it there.</source>
        <translation>Hearth ist in einem anderen Fenster geöffnet; bitte dort vorbereiten.</translation>
    </message>
    <message>
        <source>The copy takes %1 on the disk. The original stays as it is.</source>
        <translation>Die Kopie belegt %1 auf dem Datenträger. Das Original bleibt, wie es ist.</translation>
    </message>
    <message>
        <source>The copy takes %1 on the disk, which has %2 free. The original stays as it is.</source>
        <translation>Die Kopie belegt %1 auf dem Datenträger, der %2 frei hat. Das Original bleibt, wie es ist.</translation>
    </message>
    <message>
        <source>It takes %1 on an SSD, and several times that on a hard disk. Hearth can be used meanwhile.</source>
        <translation>Es dauert %1 auf einer SSD und ein Mehrfaches davon auf einer Festplatte. Hearth lässt sich dabei benutzen.</translation>
    </message>
    <message>
        <source>The most used parts come first, as counted over %1 tokens of its answers here.</source>
        <translation>Die meistbenutzten Teile kommen zuerst, gezählt über %1 Token seiner Antworten hier.</translation>
    </message>
    <message>
        <source>The most used parts are not known yet. Let the model write a few answers first for a better copy.</source>
        <translation>Die meistbenutzten Teile sind noch nicht bekannt. Für eine bessere Kopie das Modell zuerst ein paar Antworten schreiben lassen.</translation>
    </message>
    <message>
        <source>The copy will be saved as %1.</source>
        <translation>Die Kopie wird als %1 gespeichert.</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Wird angehalten …</translation>
    </message>
    <message>
        <source>Beginning…</source>
        <translation>Beginnt …</translation>
    </message>
    <message>
        <source>%1 of %2 written</source>
        <translation>%1 von %2 geschrieben</translation>
    </message>
    <message>
        <source>%1 of %2 checked</source>
        <translation>%1 von %2 geprüft</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ModelServing</name>
    <message>
        <source>This system has no random numbers to make a token of.</source>
        <translation>Dieses System hat keine Zufallszahlen für ein Zugriffstoken.</translation>
    </message>
    <message>
        <source>The local API is not running. %1</source>
        <translation>Die lokale API läuft nicht. %1</translation>
    </message>
    <message>
        <source>The token is in this system&apos;s keychain.</source>
        <translation>Das Zugriffstoken liegt im Schlüsselbund dieses Systems.</translation>
    </message>
    <message>
        <source>The token changes when Hearth ends: there is no keychain here that keeps it.</source>
        <translation>Das Zugriffstoken gilt bis zum Ende von Hearth: Hier gibt es keinen Schlüsselbund, der es aufbewahrt.</translation>
    </message>
    <message>
        <source>No memory is left to keep conversations that take turns: they are read anew.</source>
        <translation>Für Chats, die sich abwechseln, ist kein Arbeitsspeicher übrig: Sie werden jedes Mal neu gelesen.</translation>
    </message>
    <message>
        <source>Kept in memory of conversations that take turns: %1 of at most %2.</source>
        <translation>Von Chats, die sich abwechseln, im Arbeitsspeicher: %1 von höchstens %2.</translation>
    </message>
    <message>
        <source>Answers another program: %1</source>
        <translation>Antwortet einem anderen Programm: %1</translation>
    </message>
</context>
<context>
    <name>hearth::ui::NetworkDoor</name>
    <message>
        <source>You have switched all network requests off.</source>
        <translation>Alle Netzwerkanfragen sind ausgeschaltet.</translation>
    </message>
    <message>
        <source>The server did not answer in time.</source>
        <translation>Der Server antwortete nicht rechtzeitig.</translation>
    </message>
    <message>
        <source>The server sent more than the %1 that were expected.</source>
        <translation>Der Server sandte mehr als die erwarteten %1.</translation>
    </message>
    <message>
        <source>The server asks for an access token. Enter yours, then try again.</source>
        <translation>Der Server verlangt ein Zugriffstoken. Bitte eingeben und erneut versuchen.</translation>
    </message>
    <message>
        <source>The server denies you this. Its page may ask you to accept a licence first; afterwards, enter your access token here.</source>
        <translation>Der Server verweigert dies. Vielleicht ist auf seiner Seite zuerst eine Lizenz anzunehmen; danach bitte hier das Zugriffstoken eingeben.</translation>
    </message>
    <message>
        <source>The server has no such file; it may have been moved.</source>
        <translation>Der Server hat diese Datei nicht; vielleicht wurde sie verschoben.</translation>
    </message>
    <message>
        <source>The server has too many requests and asks for a pause.</source>
        <translation>Der Server hat zu viele Anfragen und bittet um eine Pause.</translation>
    </message>
    <message>
        <source>The server may not give this out, for legal reasons.</source>
        <translation>Der Server darf dies aus rechtlichen Gründen nicht herausgeben.</translation>
    </message>
    <message>
        <source>The server has an error (%1). Try again later.</source>
        <translation>Der Server hat einen Fehler (%1). Bitte später erneut versuchen.</translation>
    </message>
    <message>
        <source>The server refuses this (%1).</source>
        <translation>Der Server lehnt dies ab (%1).</translation>
    </message>
</context>
<context>
    <name>hearth::ui::NeuronMap</name>
    <message>
        <source>The model is being opened. Its layers are shown here as soon as it is ready.</source>
        <translation>Das Modell wird geöffnet. Seine Schichten erscheinen hier, sobald es bereit ist.</translation>
    </message>
    <message>
        <source>The model could not be opened, so there are no layers to show.</source>
        <translation>Das Modell konnte nicht geöffnet werden; es gibt keine Schichten zu zeigen.</translation>
    </message>
    <message>
        <source>The engine says nothing of this model&apos;s layers.</source>
        <translation>Die Engine sagt nichts über die Schichten dieses Modells.</translation>
    </message>
    <message>
        <source>The engine is counting. It has no time for it before the next words of the answer.</source>
        <translation>Die Engine zählt. Vor den nächsten Wörtern der Antwort hat sie dafür keine Zeit.</translation>
    </message>
    <message>
        <source>No model is open. Open one, and its layers are shown here.</source>
        <translation>Kein Modell ist geöffnet. Sobald eines offen ist, erscheinen hier seine Schichten.</translation>
    </message>
    <message>
        <source>This model is not local: it runs at %1, which says nothing of its layers.</source>
        <translation>Dieses Modell ist nicht lokal: Es läuft bei %1, und von dort kommt nichts über seine Schichten.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::OfferCheck</name>
    <message>
        <source> · licence: %1</source>
        <translation> · Lizenz: %1</translation>
    </message>
    <message>
        <source>Hearth could not measure this computer, so it cannot say whether the model fits.</source>
        <translation>Hearth konnte diesen Computer nicht vermessen und kann daher nicht sagen, ob das Modell passt.</translation>
    </message>
    <message>
        <source>The server&apos;s file is a model of the architecture %1 instead of %2. It is not the file you chose.</source>
        <translation>Die Datei des Servers ist ein Modell der Architektur %1 statt %2. Sie ist nicht die gewählte Datei.</translation>
    </message>
    <message>
        <source> · faster if it is a ReLU model (its file does not say)</source>
        <translation> · schneller, falls es ein ReLU-Modell ist (die Datei sagt es nicht)</translation>
    </message>
</context>
<context>
    <name>hearth::ui::PackService</name>
    <message>
        <source>The copy needs %1, and the disk has %2 free. Make some room on it, or choose another folder for downloads in the settings.</source>
        <translation>Die Kopie braucht %1, und auf dem Datenträger sind %2 frei. Bitte Platz schaffen oder in den Einstellungen einen anderen Ordner für Downloads wählen.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::PlaceCheck</name>
    <message>
        <source>“%1” is a file. Name the folder that it is in.</source>
        <translation>„%1“ ist eine Datei. Bitte den Ordner nennen, in dem sie liegt.</translation>
    </message>
    <message>
        <source>“%1” is a folder. Name a file in it.</source>
        <translation>„%1“ ist ein Ordner. Bitte eine Datei darin nennen.</translation>
    </message>
    <message>
        <source>The folder “%1” is not there. Attach its disk, or take it off.</source>
        <translation>Der Ordner „%1“ ist nicht da. Bitte den Datenträger anschließen oder den Ordner entfernen.</translation>
    </message>
    <message>
        <source>The folder “%1” is not there. If it is on a disk, attach it; else the next download makes the folder.</source>
        <translation>Der Ordner „%1“ ist nicht da. Liegt er auf einem Datenträger, bitte anschließen; sonst legt ihn der nächste Download an.</translation>
    </message>
    <message>
        <source>The file “%1” is not there. Attach its disk, or choose another.</source>
        <translation>Die Datei „%1“ ist nicht da. Bitte den Datenträger anschließen oder eine andere wählen.</translation>
    </message>
    <message>
        <source>The folder “%1” cannot be written. Choose another.</source>
        <translation>In den Ordner „%1“ kann nicht geschrieben werden. Bitte einen anderen wählen.</translation>
    </message>
    <message>
        <source>“%1” cannot be read. Change its permissions, or choose another.</source>
        <translation>„%1“ ist nicht lesbar. Bitte die Rechte ändern oder etwas anderes wählen.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::PlanPreview</name>
    <message>
        <source>%1 on the graphics card</source>
        <translation>%1 auf der Grafikkarte</translation>
    </message>
    <message>
        <source>%1 in memory</source>
        <translation>%1 im Arbeitsspeicher</translation>
    </message>
    <message>
        <source>%1 stay on the disk</source>
        <translation>%1 bleiben auf dem Datenträger</translation>
    </message>
    <message>
        <source>How fast is not known</source>
        <translation>Wie schnell, ist nicht bekannt</translation>
    </message>
    <message>
        <source>%1 to %2 tokens/s</source>
        <translation>%1 bis %2 Token/s</translation>
    </message>
    <message>
        <source>%1, or faster: the computer was busy</source>
        <translation>%1 oder schneller: Der Computer war beschäftigt</translation>
    </message>
    <message>
        <source>Other programs are left with hardly any memory.</source>
        <translation>Anderen Programmen bleibt kaum Arbeitsspeicher.</translation>
    </message>
    <message>
        <source>%1 of %2 memory stay free for other programs.</source>
        <translation>%1 von %2 Arbeitsspeicher bleiben für andere Programme frei.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ProjectFiles</name>
    <message>
        <source>being read…</source>
        <translation>wird gelesen …</translation>
    </message>
    <message>
        <source>Not added: a project takes %1 files at most.</source>
        <translation>Nicht hinzugefügt: Ein Projekt fasst höchstens %1 Dateien.</translation>
    </message>
    <message>
        <source>%1 was not added.</source>
        <translation>%1 wurde nicht hinzugefügt.</translation>
    </message>
    <message>
        <source>The file is still in the project.</source>
        <translation>Die Datei ist noch im Projekt.</translation>
    </message>
    <message>
        <source>Being read: %1 of %2 new files.</source>
        <translation>Wird gelesen: %1 von %2 neuen Dateien.</translation>
    </message>
    <message>
        <source>The folder is being looked at.</source>
        <translation>Der Ordner wird betrachtet.</translation>
    </message>
    <message>
        <source>The folder is looked at before the next question.</source>
        <translation>Der Ordner wird vor der nächsten Frage betrachtet.</translation>
    </message>
    <message>
        <source>The folder is not there any more, or cannot be read.</source>
        <translation>Der Ordner ist nicht mehr da oder nicht lesbar.</translation>
    </message>
    <message numerus="yes">
        <source>%n files are searched.</source>
        <translation>
            <numerusform>Eine Datei wird durchsucht.</numerusform>
            <numerusform>%n Dateien werden durchsucht.</numerusform>
        </translation>
    </message>
    <message>
        <source>The folder holds more than Hearth looks at: the rest is left out.</source>
        <translation>Der Ordner enthält mehr, als Hearth betrachtet: Der Rest bleibt weg.</translation>
    </message>
    <message>
        <source>Files above 32 MiB are left out: %1.</source>
        <translation>Dateien über 32 MiB werden ausgelassen: %1.</translation>
    </message>
    <message>
        <source>Files that cannot be read: %1.</source>
        <translation>Nicht lesbare Dateien: %1.</translation>
    </message>
    <message>
        <source>Folders that cannot be read: %1.</source>
        <translation>Nicht lesbare Ordner: %1.</translation>
    </message>
    <message>
        <source>The files of the project could not be noted.</source>
        <translation>Die Dateien des Projekts konnten nicht vermerkt werden.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::Projects</name>
    <message>
        <source>The project was not made.</source>
        <translation>Das Projekt wurde nicht angelegt.</translation>
    </message>
    <message>
        <source>The project was not changed.</source>
        <translation>Das Projekt wurde nicht geändert.</translation>
    </message>
    <message>
        <source>%1 is no folder that can be read.</source>
        <translation>%1 ist kein lesbarer Ordner.</translation>
    </message>
    <message>
        <source>The permissions could not be withdrawn.</source>
        <translation>Die Erlaubnisse konnten nicht zurückgenommen werden.</translation>
    </message>
    <message>
        <source>The model of the project “%1” is not there any more: %2. Another one answers.</source>
        <translation>Das Modell des Projekts „%1“ ist nicht mehr da: %2. Ein anderes antwortet.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::RemoteInference</name>
    <message>
        <source>The server of this model is no longer in the list of remote models. Add it again, or open another model.</source>
        <translation>Der Server dieses Modells steht nicht mehr in der Liste der entfernten Modelle. Bitte erneut hinzufügen oder ein anderes Modell öffnen.</translation>
    </message>
    <message>
        <source>The server of this model is no longer in the list of remote models. Choose another model, then ask again.</source>
        <translation>Der Server dieses Modells steht nicht mehr in der Liste der entfernten Modelle. Bitte ein anderes Modell wählen und erneut fragen.</translation>
    </message>
    <message>
        <source>A model that is not local cannot go on from the text of an answer. Ask for another answer.</source>
        <translation>Ein Modell, das nicht lokal ist, kann eine Antwort nicht fortsetzen. Bitte eine neue Antwort anfordern.</translation>
    </message>
    <message>
        <source>Nothing was sent to %1.</source>
        <translation>Es wurde nichts an %1 gesendet.</translation>
    </message>
    <message>
        <source>The server was changed meanwhile. Nothing was sent.</source>
        <translation>Der Server wurde inzwischen geändert. Es wurde nichts gesendet.</translation>
    </message>
    <message>
        <source>Answer by %1</source>
        <translation>Antwort von %1</translation>
    </message>
    <message>
        <source>%1 Allow them in the settings, under Network, then ask again.</source>
        <translation>%1 In den Einstellungen unter „Netzwerk“ lassen sie sich erlauben; dann erneut fragen.</translation>
    </message>
    <message>
        <source>The connection ended before the answer was complete. %1</source>
        <translation>Die Verbindung endete, bevor die Antwort vollständig war. %1</translation>
    </message>
    <message>
        <source>%1 has sent nothing for a long time, so Hearth ended the connection.</source>
        <translation>%1 hat lange nichts gesendet; Hearth hat die Verbindung beendet.</translation>
    </message>
    <message>
        <source>%1 does not answer. Is it running, and is this computer connected to it?</source>
        <translation>%1 antwortet nicht. Läuft der Server, und ist dieser Computer mit ihm verbunden?</translation>
    </message>
    <message>
        <source>%1 says: “%2”</source>
        <translation>%1 meldet: „%2“</translation>
    </message>
</context>
<context>
    <name>hearth::ui::RemoteServers</name>
    <message>
        <source>Give the server a name of at most %1 characters.</source>
        <translation>Bitte dem Server einen Namen von höchstens %1 Zeichen geben.</translation>
    </message>
    <message>
        <source>There is a server of this name or address already.</source>
        <translation>Es gibt schon einen Server mit diesem Namen oder dieser Adresse.</translation>
    </message>
    <message>
        <source>There are %1 servers already, and no more can be added.</source>
        <translation>Es gibt schon %1 Server; mehr lassen sich nicht hinzufügen.</translation>
    </message>
    <message>
        <source>This server is no longer in the list.</source>
        <translation>Dieser Server steht nicht mehr in der Liste.</translation>
    </message>
    <message>
        <source>Models of %1</source>
        <translation>Modelle von %1</translation>
    </message>
    <message>
        <source>%1 Allow them in the settings, under Network.</source>
        <translation>%1 In den Einstellungen unter „Netzwerk“ lassen sie sich erlauben.</translation>
    </message>
    <message>
        <source>%1 sends Hearth on to %2. Enter the address where the API really is.</source>
        <translation>%1 leitet Hearth zu %2 weiter. Bitte die Adresse eingeben, unter der die API wirklich ist.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::Replies</name>
    <message>
        <source>Something changed while this was written (%1). The answer is complete.</source>
        <translation>Während dies geschrieben wurde, hat sich etwas geändert (%1). Die Antwort ist vollständig.</translation>
    </message>
    <message numerus="yes">
        <source>The first %n messages no longer fit into the model&apos;s context (%1 tokens). The model has not seen them; they are still here.</source>
        <translation>
            <numerusform>Die erste Nachricht passt nicht mehr in den Kontext des Modells (%1 Token). Das Modell hat sie nicht gesehen; sie ist noch hier.</numerusform>
            <numerusform>Die ersten %n Nachrichten passen nicht mehr in den Kontext des Modells (%1 Token). Das Modell hat sie nicht gesehen; sie sind noch hier.</numerusform>
        </translation>
    </message>
    <message>
        <source>The answer ends here because the settings allow no more than %1 tokens.</source>
        <translation>Die Antwort endet hier, weil die Einstellungen nicht mehr als %1 Token erlauben.</translation>
    </message>
    <message>
        <source>The answer ends here because the model&apos;s context (%1 tokens) is full.</source>
        <translation>Die Antwort endet hier, weil der Kontext des Modells (%1 Token) voll ist.</translation>
    </message>
    <message>
        <source>There is no model to answer. Open one first.</source>
        <translation>Es gibt kein Modell, das antwortet. Bitte zuerst eines öffnen.</translation>
    </message>
    <message>
        <source>The new answer could not be started.</source>
        <translation>Die neue Antwort konnte nicht begonnen werden.</translation>
    </message>
    <message>
        <source>The answer could not be continued.</source>
        <translation>Die Antwort konnte nicht fortgesetzt werden.</translation>
    </message>
    <message>
        <source>The changed message was not sent.</source>
        <translation>Die geänderte Nachricht wurde nicht gesendet.</translation>
    </message>
    <message>
        <source>The calls of tools could not be saved: %1</source>
        <translation>Die Werkzeugaufrufe konnten nicht gespeichert werden: %1</translation>
    </message>
    <message>
        <source>The answer ends here because the server allows no more tokens.</source>
        <translation>Die Antwort endet hier, weil der Server nicht mehr Token zulässt.</translation>
    </message>
    <message>
        <source>A model that is not local cannot go on from the text of an answer. Ask for another answer.</source>
        <translation>Ein Modell, das nicht lokal ist, kann eine Antwort nicht fortsetzen. Bitte eine neue Antwort anfordern.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ReplyWriter</name>
    <message>
        <source>The answer is not saved yet; it will be tried again.</source>
        <translation>Die Antwort ist noch nicht gespeichert; es wird erneut versucht.</translation>
    </message>
    <message>
        <source>All answers are saved now.</source>
        <translation>Alle Antworten sind jetzt gespeichert.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::RequestListModel</name>
    <message>
        <source>under way</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ServedRequestListModel</name>
    <message>
        <source>a program without a name</source>
        <translation>ein Programm ohne Namen</translation>
    </message>
    <message>
        <source>waits for its turn</source>
        <translation>wartet, bis es an der Reihe ist</translation>
    </message>
    <message>
        <source>is answered</source>
        <translation>wird beantwortet</translation>
    </message>
    <message>
        <source>the program left</source>
        <translation>das Programm hat die Verbindung beendet</translation>
    </message>
    <message>
        <source>%1 · done</source>
        <translation>%1 · fertig</translation>
    </message>
    <message>
        <source>%1 · %2 tokens read, %3 written</source>
        <translation>%1 · %2 Token gelesen, %3 geschrieben</translation>
    </message>
    <message>
        <source>the answer was cut off</source>
        <translation>die Antwort wurde abgebrochen</translation>
    </message>
    <message>
        <source>the token is missing or wrong</source>
        <translation>das Zugriffstoken fehlt oder ist falsch</translation>
    </message>
    <message>
        <source>a web page, or another name of this computer</source>
        <translation>eine Webseite oder ein anderer Name dieses Computers</translation>
    </message>
    <message>
        <source>no such path or model</source>
        <translation>Pfad oder Modell gibt es nicht</translation>
    </message>
    <message>
        <source>too many requests wait</source>
        <translation>zu viele Anfragen warten</translation>
    </message>
    <message>
        <source>no model answers</source>
        <translation>kein Modell antwortet</translation>
    </message>
    <message>
        <source>the model could not answer</source>
        <translation>das Modell konnte nicht antworten</translation>
    </message>
    <message>
        <source>the request was not understood</source>
        <translation>die Anfrage war nicht verständlich</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>hearth::ui::SettingListModel</name>
    <message>
        <source>%1, shared with the processor</source>
        <translation>%1, mit dem Prozessor geteilt</translation>
    </message>
    <message>
        <source>%1 GB/s</source>
        <translation>%1 GB/s</translation>
    </message>
    <message>
        <source>tried, works</source>
        <translation>erprobt, läuft</translation>
    </message>
    <message>
        <source>not tried yet</source>
        <translation>noch nicht erprobt</translation>
    </message>
    <message>
        <source>this version cannot use it</source>
        <translation>diese Version kann sie nicht benutzen</translation>
    </message>
    <message>
        <source>tried, failed</source>
        <translation>erprobt, fehlgeschlagen</translation>
    </message>
    <message>
        <source>; not used automatically: %1</source>
        <translation>; nicht automatisch benutzt: %1</translation>
    </message>
    <message>
        <source>First open the model that this setting is for.</source>
        <translation>Bitte zuerst das Modell öffnen, für das diese Einstellung gilt.</translation>
    </message>
    <message>
        <source>The style decides. Choose “Own values” to change it.</source>
        <translation>Der Stil entscheidet. Zum Ändern bitte „Eigene Werte“ wählen.</translation>
    </message>
    <message>
        <source>%1 is %2.</source>
        <translation>%1 sind %2.</translation>
    </message>
    <message>
        <source>Now: none.</source>
        <translation>Jetzt: keine.</translation>
    </message>
    <message>
        <source>Now: none. %1</source>
        <translation>Jetzt: keine. %1</translation>
    </message>
    <message>
        <source>Now: %1, with %2 % of the model.</source>
        <translation>Jetzt: %1, mit %2 % des Modells.</translation>
    </message>
    <message>
        <source>Now: no card takes part.</source>
        <translation>Jetzt: keine Karte nimmt teil.</translation>
    </message>
    <message>
        <source>Now: holds %1 of %2.</source>
        <translation>Jetzt: belegt %1 von %2.</translation>
    </message>
    <message>
        <source>%1 of the model are read from the disk for each word.</source>
        <translation>%1 des Modells werden für jedes Wort vom Datenträger gelesen.</translation>
    </message>
    <message numerus="yes">
        <source>Now: %n threads.</source>
        <translation>
            <numerusform>Jetzt: %n Thread.</numerusform>
            <numerusform>Jetzt: %n Threads.</numerusform>
        </translation>
    </message>
    <message>
        <source>Now: %1 tokens.</source>
        <translation>Jetzt: %1 Token.</translation>
    </message>
    <message>
        <source>Now: %1.</source>
        <translation>Jetzt: %1.</translation>
    </message>
    <message>
        <source>Without instructions, this model is told: “%1”</source>
        <translation>Ohne Anweisungen bekommt dieses Modell gesagt: „%1“</translation>
    </message>
    <message>
        <source>The open model does not know it.</source>
        <translation>Das geöffnete Modell kennt das nicht.</translation>
    </message>
    <message>
        <source>The processor alone.</source>
        <translation>Der Prozessor allein.</translation>
    </message>
    <message>
        <source>Not for the model that answers now: it is not local.</source>
        <translation>Nicht für das Modell, das jetzt antwortet: Es ist nicht lokal.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::SettingsFile</name>
    <message>
        <source>What you changed in the settings is not kept: %1 cannot be written.</source>
        <translation>Die Änderungen an den Einstellungen sind nicht gespeichert: %1 ist nicht beschreibbar.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::SidebarListModel</name>
    <message>
        <source>Projects</source>
        <translation>Projekte</translation>
    </message>
</context>
<context>
    <name>hearth::ui::StdioTransport</name>
    <message>
        <source>The program %1 cannot be started: %2</source>
        <translation>Das Programm %1 lässt sich nicht starten: %2</translation>
    </message>
    <message>
        <source>The command line has no program, or a quotation mark without its second.</source>
        <translation>Die Befehlszeile hat kein Programm oder ein Anführungszeichen ohne zweites.</translation>
    </message>
    <message>
        <source>On this system Hearth cannot shut a program out of the network, so the server was not started. Allow it the network to start it all the same.</source>
        <translation>Auf diesem System kann Hearth ein Programm nicht vom Netzwerk fernhalten; daher wurde der Server nicht gestartet. Mit erlaubtem Netzwerk startet er trotzdem.</translation>
    </message>
    <message>
        <source>This system does not let Hearth shut a program out of the network, so the server was not started. Allow it the network to start it all the same.</source>
        <translation>Dieses System lässt Hearth ein Programm nicht vom Netzwerk fernhalten; daher wurde der Server nicht gestartet. Mit erlaubtem Netzwerk startet er trotzdem.</translation>
    </message>
    <message>
        <source>The program %1 cannot be started.</source>
        <translation>Das Programm %1 lässt sich nicht starten.</translation>
    </message>
    <message>
        <source>The server has crashed.</source>
        <translation>Der Server ist abgestürzt.</translation>
    </message>
    <message>
        <source>The server has ended (code %1).</source>
        <translation>Der Server hat sich beendet (Code %1).</translation>
    </message>
    <message>
        <source>The server does not read what it is sent.</source>
        <translation>Der Server liest nicht, was ihm gesendet wird.</translation>
    </message>
    <message>
        <source>The server sent a message that is too long.</source>
        <translation>Der Server sandte eine zu lange Nachricht.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::TokenKeeper</name>
    <message>
        <source>It is in this system&apos;s keychain.</source>
        <translation>Es liegt im Schlüsselbund dieses Systems.</translation>
    </message>
    <message>
        <source>It is forgotten when Hearth ends: there is no keychain here that keeps it.</source>
        <translation>Es wird vergessen, wenn Hearth endet: Hier gibt es keinen Schlüsselbund, der es aufbewahrt.</translation>
    </message>
    <message>
        <source>This is no access token: a token has letters, digits and signs, but no spaces.</source>
        <translation>Dies ist kein Zugriffstoken: Ein Token hat Buchstaben, Ziffern und Zeichen, aber keine Leerzeichen.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ToolRounds</name>
    <message>
        <source>There is no such tool.</source>
        <translation>Ein solches Werkzeug gibt es nicht.</translation>
    </message>
    <message>
        <source>Not called: an answer may call tools %1 times.</source>
        <translation>Nicht aufgerufen: Eine Antwort darf Werkzeuge %1-mal aufrufen.</translation>
    </message>
    <message>
        <source>The model wants to call a tool and waits for your answer.</source>
        <translation>Das Modell möchte ein Werkzeug aufrufen und wartet auf Ihre Antwort.</translation>
    </message>
    <message>
        <source>A result of a tool is not saved.</source>
        <translation>Ein Ergebnis eines Werkzeugs ist nicht gespeichert.</translation>
    </message>
    <message>
        <source>The user refused this call.</source>
        <translation>Dieser Aufruf wurde abgelehnt.</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ToolShelf</name>
    <message>
        <source>started</source>
        <translation>gestartet</translation>
    </message>
    <message>
        <source>The server was switched off.</source>
        <translation>Der Server wurde ausgeschaltet.</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>beendet</translation>
    </message>
    <message>
        <source>%1 is called</source>
        <translation>%1 wird aufgerufen</translation>
    </message>
    <message>
        <source>The tool was switched off.</source>
        <translation>Das Werkzeug wurde ausgeschaltet.</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1 ist fehlgeschlagen</translation>
    </message>
    <message numerus="yes">
        <source>%1 answered, %n characters</source>
        <translation>
            <numerusform>%1 antwortete, %n Zeichen</numerusform>
            <numerusform>%1 antwortete, %n Zeichen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Hearth opens one model at a start. Not opened: %1.</source>
        <translation>Hearth öffnet bei einem Start nur ein Modell. Nicht geöffnet: %1.</translation>
    </message>
    <message>
        <source>Hearth is open already and does not answer. This window shows your conversations and changes nothing; end the other one, then start again.</source>
        <translation>Hearth ist bereits geöffnet und antwortet nicht. Dieses Fenster zeigt die Chats und ändert nichts; bitte das andere beenden und neu starten.</translation>
    </message>
</context>
</TS>
