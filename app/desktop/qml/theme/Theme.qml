pragma Singleton

import QtQuick

// Every colour, distance and letter size of the window. Main.qml sets the first four from the
// application; nothing else writes here. Text colours keep 4.5:1 on each ground named beside them, borders of
// controls and the focus ring 3:1 (tests/app/ui/contrast_test.cpp computes it).
QtObject {
    id: theme

    property bool dark: false

    // 0.8 to 2; Ctrl+Plus and Ctrl+Minus.
    property real zoom: 1
    property bool motion: true    // changes are animated
    property bool sparing: false  // true: every frame costs processor time that the model needs

    // Grounds.
    readonly property color window: dark ? "#1b1815" : "#fbf8f4"
    readonly property color sidebar: dark ? "#141210" : "#f4ede5"
    readonly property color surface: dark ? "#26211d" : "#ffffff"
    readonly property color raised: dark ? "#2b2520" : "#ffffff"
    readonly property color bubble: dark ? "#3a2d24" : "#f4e4d7"
    readonly property color code: dark ? "#131110" : "#f6f0e8"
    readonly property color codeHeader: dark ? "#221e1a" : "#ece3d8"
    readonly property color paper: "#ffffff"  // of drawings
    readonly property color hover: dark ? "#2a2521" : "#ece3d9"
    readonly property color pressed: dark ? "#352e28" : "#e2d6c8"
    readonly property color selected: dark ? "#332921" : "#ebdccd"

    // Text, on any ground above.
    readonly property color text: dark ? "#f1eae3" : "#2a231d"
    readonly property color textMuted: dark ? "#b9ada1" : "#655950"
    readonly property color link: dark ? "#f6a57a" : "#96370f"

    // Words of code, on the ground `code`.
    readonly property color codeKeyword: dark ? "#f4a880" : "#8f3a12"
    readonly property color codeType: dark ? "#8ec7e8" : "#1f5673"
    readonly property color codeString: dark ? "#9fd6a4" : "#2a6a44"
    readonly property color codeNumber: dark ? "#e8c878" : "#7a4c00"
    readonly property color codeComment: dark ? "#a89c90" : "#6b5f55"

    // The ember.
    readonly property color accent: dark ? "#f08b57" : "#b5471b"
    readonly property color accentHover: dark ? "#f59d70" : "#9d3b14"
    readonly property color accentInk: dark ? "#24120a" : "#ffffff"
    readonly property color accentSoft: dark ? "#43291b" : "#f9e3d6"
    readonly property color accentText: dark ? "#f6a57a" : "#96370f"

    // Buttons on a ground of `text`.
    readonly property color inverseAccent: dark ? "#96370f" : "#f6a57a"

    // Messages about the application itself: a soft ground and its text.
    readonly property color infoSoft: dark ? "#1f2b33" : "#e6eff4"
    readonly property color infoText: dark ? "#a9d0e6" : "#234a63"
    readonly property color warningSoft: dark ? "#352a12" : "#fdf0d0"
    readonly property color warningText: dark ? "#f2cd7c" : "#684800"
    readonly property color errorSoft: dark ? "#3b1f1b" : "#fbe6e2"
    readonly property color errorText: dark ? "#ffaa9c" : "#a02116"
    readonly property color success: dark ? "#8fce9f" : "#2c6841"

    // Lines.
    readonly property color border: dark ? "#38312b" : "#e6dccf"
    // The same for lines among text. Not quite opaque: beside an opaque line between two rows of pixels, Qt's
    // own renderer leaves a black one (6.4, on Wayland).
    readonly property color line: dark ? "#fe38312b" : "#fee6dccf"
    readonly property color controlBorder: dark ? "#82766b" : "#85776c"
    readonly property color focus: dark ? "#f59d70" : "#b5471b"
    readonly property color shadow: dark ? "#1c000000" : "#092a231d"  // a layer of it
    readonly property color scrim: dark ? "#99000000" : "#66302a24"
    readonly property color selection: dark ? "#6b3b22" : "#f5cdb5"

    readonly property int tiny: 4
    readonly property int small: 8
    readonly property int medium: 12
    readonly property int large: 16
    readonly property int huge: 24

    readonly property int radius: 8
    readonly property int radiusLarge: 14

    // The window is laid out from right to left.
    readonly property bool mirrored: Qt.application.layoutDirection === Qt.RightToLeft  // qmllint disable

    // The x of something `width` wide in `room`, `offset` from the side where lines begin. Anchors and positioners turn
    // round by themselves; an x does not.
    function at(offset: real, width: real, room: real): real {
        return mirrored ? room - width - offset : offset
    }

    readonly property int control: 34
    readonly property int bodyWidth: Math.round(760 * Math.max(1, zoom))
    readonly property int narrowBelow: 720
    readonly property int quick: motion ? 120 : 0  // ms of an animation

    // In pixels, so that a picture is the same on every system; the reader sets the zoom.
    readonly property int fontBody: Math.round(15 * zoom)
    readonly property int fontSmall: Math.round(13 * zoom)
    readonly property int fontTiny: Math.round(12 * zoom)
    readonly property int fontTitle: Math.round(16 * zoom)
    readonly property int fontGreeting: Math.round(28 * zoom)
    readonly property int fontCode: Math.round(13.5 * zoom)
    readonly property int fontFormula: Math.round(17 * zoom)  // of its own lines

    readonly property string sans: Qt.application.font.family  // qmllint disable
    readonly property string mono: firstInstalled(["Cascadia Mono", "SF Mono", "Menlo", "Consolas",
        "JetBrains Mono", "DejaVu Sans Mono", "Noto Sans Mono", "Liberation Mono"], "monospace")

    function firstInstalled(wanted: var, otherwise: string): string {
        const installed = new Set(Qt.fontFamilies())
        const found = wanted.find(family => installed.has(family))
        return found === undefined ? otherwise : found
    }

    function headingSize(level: int): int {
        return Math.round((level <= 1 ? 22 : level === 2 ? 19 : level === 3 ? 17 : 15) * zoom)
    }

    // Per cent. Qt adds all of it below a line, so the last line of a paragraph has too much below it.
    readonly property int lineHeight: 124
    readonly property int lineOverhang: Math.round(metrics.height * (lineHeight - 100) / 100)
    readonly property FontMetrics metrics: FontMetrics {
        font.family: theme.sans
        font.pixelSize: theme.fontBody
    }

    // A task's box stands out on the left of its text.
    readonly property int boxSpace: Math.round(fontBody * 1.27)

    // Qt's rich text has neither a link colour of its own nor a theme: both come with the text.
    readonly property string richStyle: "<style>a{color:" + link + "}"
        + "p,li{line-height:" + lineHeight + "%}"
        + "code,pre{font-family:'" + mono + "';font-size:" + fontCode + "px;background-color:"
        + codeHeader + "}"
        + "ul,ol{margin-top:0px;margin-bottom:0px;margin-left:-16px} li{margin-bottom:2px}"
        + [1, 2, 3, 4].map(level => "p.task" + level + "{margin:0px 0px 2px " + level * boxSpace  // qmllint disable
            + "px;text-indent:" + -boxSpace + "px}").join("")
        + "th{text-align:left;font-weight:600} td,th{vertical-align:middle}</style>"
    // Qt draws the lines of a table's cells only if the table itself has a border.
    readonly property string tableTag: "<table border=\"1\" cellspacing=\"0\" cellpadding=\"7\""
        + " style=\"border-style:solid;border-collapse:collapse;border-color:" + border + "\">"

    // The text that a block shows for the html of a BlockListModel row.
    function richText(kind: string, html: string): string {
        if (kind === "table") {
            return richStyle + html.replace(/^<table[^>]*>/, tableTag)
        }
        const whole = kind === "list" || kind === "quote"
        return richStyle + (whole ? html : "<p style=\"margin:0\">" + html + "</p>")
    }
}
