import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A code block: its language and a copy button over the code in one fixed-width font. Long lines
// scroll sideways.
Rectangle {
    id: block

    required property var app
    property string code
    property string language       // "formula": the source of a formula
    property bool live: false
    property bool reachable: true  // its button takes part in Tab
    readonly property bool formula: language === "formula"
    readonly property real naturalWidth: edit.implicitWidth + 2 * Theme.medium

    function plainText(): string {
        return code
    }

    // A line that scrolls sideways needs room for its bar.
    implicitHeight: header.height + edit.implicitHeight + 2 * Theme.medium
        + (flick.interactive ? Theme.small : 0)
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
            anchors.right: copy.left
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

        Basic.AbstractButton {
            id: copy

            property bool done: false

            objectName: "copyCode"
            anchors.right: parent.right
            anchors.rightMargin: 3
            anchors.verticalCenter: parent.verticalCenter
            implicitWidth: word.implicitWidth + Math.round(14 * Theme.zoom) + 6 + leftPadding + rightPadding
            implicitHeight: Math.max(28, word.implicitHeight + Theme.small)
            leftPadding: Theme.small
            rightPadding: Theme.small
            text: done ? qsTr("Copied") : qsTr("Copy")
            hoverEnabled: true
            focusPolicy: Qt.StrongFocus
            activeFocusOnTab: block.reachable || activeFocus
            onClicked: {
                block.app.copyText(block.code)
                done = true
                fade.restart()
            }

            Accessible.role: Accessible.Button
            Accessible.name: done ? qsTr("Copied") : block.formula ? qsTr("Copy the formula")
                : qsTr("Copy the code")
            Accessible.onPressAction: copy.clicked()
            Keys.onReturnPressed: copy.clicked()
            Keys.onEnterPressed: copy.clicked()

            Timer {
                id: fade

                interval: 1800
                onTriggered: copy.done = false
            }

            background: Rectangle {
                radius: 6
                color: copy.hovered || copy.down ? Theme.pressed : "transparent"

                FocusRing {
                    shown: copy.visualFocus
                    gap: 0
                }
            }

            contentItem: Row {
                spacing: 6

                Icon {
                    anchors.verticalCenter: parent.verticalCenter
                    name: copy.done ? "check" : "copy"
                    size: 14
                    color: copy.done ? Theme.success : Theme.textMuted
                }

                Text {
                    id: word

                    anchors.verticalCenter: parent.verticalCenter
                    text: copy.text
                    textFormat: Text.PlainText
                    font.family: Theme.sans
                    font.pixelSize: Theme.fontTiny
                    color: copy.done ? Theme.success : Theme.textMuted
                }
            }
        }
    }

    Flickable {
        id: flick

        anchors.top: header.bottom
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
