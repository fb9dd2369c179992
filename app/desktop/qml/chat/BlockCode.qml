import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A code block: its language and a copy button over the code in one fixed-width font. Long lines
// scroll sideways. Code that is a drawing is shown as one, or as its source.
Rectangle {
    id: block

    required property var app
    property string code
    property string language       // "formula": the source of a formula
    property string drawing        // of a BlockListModel
    property bool live: false
    property bool reachable: true  // its button takes part in Tab
    readonly property bool formula: language === "formula"
    readonly property real naturalWidth: edit.implicitWidth + 2 * Theme.medium

    // Null: this is no drawing.
    readonly property var desk: drawing === "whole" ? app?.drawings ?? null : null
    property bool asSource: false  // the reader wants the source
    readonly property BlockDrawing sketch: sketchLoader.item as BlockDrawing
    readonly property string trouble: sketch === null ? "" : sketch.trouble
    readonly property bool sketched: sketch !== null && trouble === ""

    function plainText(): string {
        return sketched ? sketch.name : code
    }

    // The block may be made anew whenever it comes into view.
    function recall(): void {
        asSource = desk !== null && desk.showsSource(code)
    }

    function turn(): void {
        if (trouble !== "") {
            sketch.again()
        } else {
            asSource = !asSource
            desk.setShowsSource(code, asSource)
        }
    }

    function sentence(trouble: string, leftOut: bool): string {
        switch (trouble) {
        case "notSvg":
            return qsTr("This drawing cannot be shown: its source is not complete SVG.")
        case "tooLarge":
            return qsTr("This drawing cannot be shown: its source is too long.")
        case "noSize":
            return qsTr("This drawing cannot be shown: it is empty.")
        case "tooDemanding":
            return qsTr("This drawing cannot be shown: it takes too much time or memory.")
        }
        return leftOut ? qsTr("Parts of this drawing cannot be shown.") : ""
    }

    onDeskChanged: recall()
    onCodeChanged: recall()

    // A line that scrolls sideways needs room for its bar.
    implicitHeight: header.height + 2 * Theme.medium
        + (note.visible ? note.implicitHeight + Theme.medium : 0)
        + (sketched ? sketch.implicitHeight
            : edit.implicitHeight + (flick.interactive ? Theme.small : 0))
    radius: Theme.radius + 2
    color: Theme.code
    border.width: 1
    border.color: Theme.border

    Rectangle {
        id: header

        x: 1
        y: 1
        width: parent.width - 2
        height: Math.max(34, copy.implicitHeight + 4)
        radius: block.radius - 1
        color: Theme.codeHeader

        Rectangle {
            anchors.bottom: parent.bottom
            width: parent.width
            height: parent.radius
            color: parent.color
        }

        Text {
            objectName: "codeLanguage"
            anchors.left: parent.left
            anchors.right: viewSwitch.visible ? viewSwitch.left : copy.left
            anchors.leftMargin: Theme.medium - 1
            anchors.verticalCenter: parent.verticalCenter
            text: block.language === "" ? qsTr("code") : block.formula ? qsTr("formula")
                : block.language
            textFormat: Text.PlainText
            elide: Text.ElideRight
            font.family: Theme.mono
            font.pixelSize: Theme.fontTiny
            color: Theme.textMuted
        }

        HeaderButton {
            id: viewSwitch

            objectName: "drawingSwitch"
            visible: block.desk !== null
            anchors.right: copy.left
            anchors.verticalCenter: parent.verticalCenter
            iconName: block.sketched ? "code" : "picture"
            text: block.sketched ? qsTr("Source") : qsTr("Drawing")
            says: block.sketched ? qsTr("Show the source") : qsTr("Show the drawing")
            activeFocusOnTab: block.reachable || activeFocus
            onClicked: block.turn()
        }

        HeaderButton {
            id: copy

            property bool done: false

            objectName: "copyCode"
            anchors.right: parent.right
            anchors.rightMargin: 3
            anchors.verticalCenter: parent.verticalCenter
            iconName: done ? "check" : "copy"
            ink: done ? Theme.success : Theme.textMuted
            text: done ? qsTr("Copied") : qsTr("Copy")
            says: done ? qsTr("Copied") : block.formula ? qsTr("Copy the formula")
                : qsTr("Copy the code")
            activeFocusOnTab: block.reachable || activeFocus
            onClicked: {
                block.app.copyText(block.code)
                done = true
                fade.restart()
            }

            Timer {
                id: fade

                interval: 1800
                onTriggered: copy.done = false
            }
        }
    }

    Text {
        id: note

        objectName: "drawingNote"
        visible: text !== ""
        anchors.top: header.bottom
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.margins: Theme.medium
        text: block.sentence(block.drawing === "tooLong" ? "tooLarge" : block.trouble,
            block.sketched && block.sketch.leftOut)
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        horizontalAlignment: Text.AlignLeft
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted

        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Loader {
        id: sketchLoader

        active: block.desk !== null && !block.asSource
        visible: block.sketched
        anchors.top: note.visible ? note.bottom : header.bottom
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.margins: Theme.medium
        sourceComponent: BlockDrawing {
            desk: block.desk
            source: block.code
            live: block.live
        }
    }

    Flickable {
        id: flick

        visible: !block.sketched
        anchors.top: note.visible ? note.bottom : header.bottom
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        anchors.leftMargin: Theme.medium
        anchors.rightMargin: Theme.medium
        contentWidth: Math.max(width, edit.implicitWidth)
        contentHeight: height
        flickableDirection: Flickable.HorizontalFlick
        boundsBehavior: Flickable.StopAtBounds
        interactive: contentWidth > width
        clip: true
        Basic.ScrollBar.horizontal: AppScrollBar { }

        TextEdit {
            id: edit

            property string shown

            // Text at the end is added and laid out alone: laying out everything anew would take longer with
            // every line.
            function show(code: string): void {
                if (shown !== "" && code.startsWith(shown)) {
                    insert(length, code.slice(shown.length))
                } else {
                    text = code
                }
                shown = code
            }

            objectName: "codeText"
            y: Theme.medium
            width: flick.contentWidth
            Component.onCompleted: show(block.code)
            textFormat: TextEdit.PlainText
            wrapMode: TextEdit.NoWrap
            readOnly: true
            selectByMouse: true
            color: Theme.text
            selectionColor: Theme.selection
            selectedTextColor: Theme.text
            font.family: Theme.mono
            font.pixelSize: Theme.fontCode

            Accessible.role: Accessible.Paragraph
            Accessible.name: block.language === "" ? qsTr("Code") : block.formula ? qsTr("Formula")
                : qsTr("Code in %1").arg(block.language)
            Accessible.description: block.live ? "" : text
            Accessible.readOnly: true

            HoverHandler {
                cursorShape: Qt.IBeamCursor
            }

            Connections {
                target: block

                function onCodeChanged(): void {
                    edit.show(block.code)
                }
            }
        }

        // Once the block is complete: a line in colours takes several pieces to draw, again and again while the
        // code grows.
        CodeColours {
            objectName: "codeColours"
            language: block.live ? "" : block.language
            keyword: Theme.codeKeyword
            type: Theme.codeType
            text: Theme.codeString
            number: Theme.codeNumber
            comment: Theme.codeComment
            target: edit.textDocument
        }

        EmberCaret {
            id: caret

            function follow(): void {
                if (running) {
                    const end = edit.positionToRectangle(edit.length)
                    x = end.x + 5
                    y = edit.y + end.y + (end.height - height) / 2
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
            }
        }
    }
}
