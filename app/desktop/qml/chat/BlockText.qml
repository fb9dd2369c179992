import QtQuick
import Hearth

// A paragraph, heading, list, table or quote: selectable rich text, which the C++ side made safe.
Item {
    id: block

    property string kind: "paragraph"
    property string html
    property int level: 0
    property bool live: false  // the answer continues here
    property color ink: Theme.text
    property bool hug: false   // a bubble asks for the natural width
    property bool reachable: true  // its links take part in Tab
    readonly property real naturalWidth: ruler.item === null ? 0
        : (ruler.item as TextEdit).implicitWidth + inset
    readonly property real inset: quote ? Theme.large : 0

    readonly property bool quote: kind === "quote"
    readonly property bool heading: kind === "heading"
    readonly property bool hasFormulas: html.indexOf("<span title=") >= 0

    signal linkPointed(string link)  // by the pointer or the keyboard; "": no more
    signal linkAsked(string link)

    function plainText(): string {
        return hasFormulas ? FormulaText.words(edit.textDocument) : edit.getText(0, edit.length)
    }

    // Whole pixels, or what stands below would be drawn between them.
    implicitHeight: Math.ceil(edit.y + edit.implicitHeight
        - (kind === "table" ? 0 : Theme.lineOverhang))

    // The implicit width of a wrapping text depends on its width, which would be a circle.
    Loader {
        id: ruler

        active: block.hug
        sourceComponent: TextEdit {
            visible: false
            text: edit.text
            textFormat: TextEdit.RichText
            font: edit.font
            Accessible.ignored: true
        }
    }

    Rectangle {
        visible: block.quote
        x: Theme.at(0, width, parent.width)
        width: 3
        height: parent.height
        radius: 1.5
        color: Theme.accent
        opacity: 0.6
    }

    TextEdit {
        id: edit

        objectName: "blockText"
        x: Theme.at(block.inset, width, block.width)
        width: block.width - block.inset
        y: block.heading && block.level <= 2 ? 6 : 0
        text: Theme.richText(block.kind, block.html)
        textFormat: TextEdit.RichText
        wrapMode: TextEdit.Wrap
        readOnly: true
        selectByMouse: true
        activeFocusOnPress: true
        persistentSelection: false
        color: block.quote ? Theme.textMuted : block.ink
        selectionColor: Theme.selection
        selectedTextColor: Theme.text
        font.family: Theme.sans
        font.pixelSize: block.heading ? Theme.headingSize(block.level) : Theme.fontBody
        font.weight: block.heading ? Font.DemiBold : Font.Normal

        Accessible.role: block.heading ? Accessible.Heading : Accessible.Paragraph
        Accessible.name: block.live ? "" : block.plainText()
        Accessible.readOnly: true

        // Formulas are copied as their sources.
        Keys.onPressed: event => {
            if (block.hasFormulas && event.matches(StandardKey.Copy)
                    && edit.selectionStart < edit.selectionEnd) {
                FormulaText.copy(edit.textDocument, edit.selectionStart, edit.selectionEnd)
                event.accepted = true
            }
        }

        onLinkActivated: link => block.linkAsked(link)
        onLinkHovered: link => block.linkPointed(link)

        HoverHandler {
            cursorShape: edit.hoveredLink === "" ? Qt.IBeamCursor : Qt.PointingHandCursor
        }
    }

    // The links as stops for Tab, once the text is laid out.
    Repeater {
        model: block.live || block.html.indexOf("<a ") < 0 ? []
            : edit.text !== "" ? Links.within(edit.textDocument) : []

        delegate: Item {
            id: link

            required property var modelData

            // Frames the first line of the link. The size of the text decides where that is.
            function place(textWidth: real, textHeight: real): void {
                const from = edit.positionToRectangle(modelData.start)
                const to = edit.positionToRectangle(modelData.end)
                x = edit.x + from.x
                y = edit.y + from.y
                width = (to.y === from.y ? to.x : textWidth) - from.x
                height = from.height
            }

            objectName: "link"
            activeFocusOnTab: block.reachable || activeFocus
            Accessible.role: Accessible.Link
            Accessible.name: modelData.text
            Accessible.description: qsTr("Leads to %1").arg(modelData.link)
            Accessible.focusable: true
            Accessible.focused: activeFocus
            Accessible.onPressAction: block.linkAsked(modelData.link)

            Component.onCompleted: place(edit.width, edit.contentHeight)
            onActiveFocusChanged: block.linkPointed(activeFocus ? modelData.link : "")
            Keys.onReturnPressed: block.linkAsked(modelData.link)
            Keys.onEnterPressed: block.linkAsked(modelData.link)

            Connections {
                target: edit

                function onWidthChanged(): void {
                    link.place(edit.width, edit.contentHeight)
                }

                function onContentHeightChanged(): void {
                    link.place(edit.width, edit.contentHeight)
                }
            }

            FocusRing {
                shown: link.activeFocus
                gap: 1
            }
        }
    }

    EmberCaret {
        id: caret

        // Moves to the end of the text. Called once per change.
        function follow(): void {
            if (running) {
                const end = edit.positionToRectangle(edit.length)
                x = Math.min(edit.x + end.x + 5, block.width - width)
                y = edit.y + end.y + (end.height - height) / 2 + 1
            }
        }

        running: block.live
        onRunningChanged: follow()

        Connections {
            target: edit
            enabled: block.live

            function onTextChanged(): void {
                Qt.callLater(caret.follow)  // qmllint disable
            }

            function onWidthChanged(): void {
                Qt.callLater(caret.follow)  // qmllint disable
            }
        }
    }
}
