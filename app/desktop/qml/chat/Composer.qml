import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The field for the next message. Enter sends, Shift+Enter is a new line. (Escape, which stops an answer,
// belongs to the window.)
// The text is the application's draft, so it returns with its conversation.
Item {
    id: composer

    required property var app
    property var files: null        // the Attachments; null: no file can be attached
    readonly property bool canSend: app.replies.canSend && (written || pieces.count > 0)
        && (files === null || !files.reading)
    property bool written: false    // there is text that is not blank
    property bool replacing: false  // the field's text is not the user's doing
    readonly property int lines: 8

    signal toolsAsked()
    signal lookedAt(string text, string size)  // asks to see a piece beside the field
    signal fileAsked()                         // asks for a file to attach

    function takeFocus(): void {
        input.forceActiveFocus(Qt.ShortcutFocusReason)
    }

    function send(): void {
        if (!canSend) {
            return
        }
        app.replies.send(app.chats.wholeDraft())  // clears the draft, and with it the field, when it is on
                                                  // disk
    }

    // Puts text that is too long for the field beside it, before the field has to lay it out.
    function pasteBeside(selection: bool): bool {
        const stays = input.length - (input.selectionEnd - input.selectionStart)
        return !input.readOnly && app.chats.attachPasted(selection, stays)
    }

    implicitHeight: box.height + Theme.tiny
        + (hint.below ? hint.pills + hint.height : Math.max(hint.height, hint.pills))

    Connections {
        target: composer.app.chats

        function onDraftChanged(): void {
            if (input.text !== composer.app.chats.draft) {
                input.text = composer.app.chats.draft
                input.cursorPosition = input.length
            }
        }

        // With it goes what the field could undo, also where both drafts are empty: a text that was
        // deleted in one chat must not come back in another.
        function onDraftReplaced(): void {
            composer.replacing = true
            input.text = " "  // clear() keeps what can be undone
            input.text = composer.app.chats.draft
            composer.replacing = false
            input.cursorPosition = input.length
        }
    }

    Rectangle {
        id: box

        width: parent.width
        height: attached.space
            + Math.max(flick.height + 2 * Theme.small, action.height + 2 * Theme.small + 2)
        radius: Theme.radiusLarge
        color: Theme.surface
        border.width: input.activeFocus ? 2 : 1
        border.color: input.activeFocus ? Theme.focus : Theme.controlBorder

        Column {
            id: attached

            readonly property real space: pieces.count + filed.count > 0
                ? implicitHeight + Theme.small : 0

            x: Theme.small
            y: Theme.small
            width: parent.width - 2 * Theme.small
            spacing: Theme.tiny

            Repeater {
                id: filed

                model: composer.files === null ? [] : composer.files.pending

                delegate: AttachedFile {
                    required property var modelData
                    required property int index

                    objectName: "attachedFile"
                    width: Math.min(implicitWidth, attached.width)
                    name: modelData.name
                    says: modelData.says
                    failed: modelData.failed
                    ready: modelData.ready
                    removable: true
                    onLooked: composer.files.look(index)
                    onRemoved: {
                        composer.takeFocus()
                        composer.files.remove(index)
                    }
                }
            }

            Repeater {
                id: pieces

                model: composer.app.chats.attachments

                delegate: AttachedText {
                    required property var modelData
                    required property int index

                    objectName: "attachment"
                    width: attached.width
                    begin: modelData.begin
                    size: modelData.size
                    onLooked: composer.lookedAt(composer.app.chats.attachment(index), size)
                    onRemoved: {
                        composer.takeFocus()
                        composer.app.chats.detach(index)
                    }
                }
            }
        }

        Flickable {
            id: flick

            readonly property real lineHeight: metrics.lineSpacing

            anchors.left: attach.visible ? attach.right : parent.left
            anchors.right: action.left
            anchors.leftMargin: attach.visible ? Theme.tiny : Theme.medium
            anchors.rightMargin: Theme.small
            y: attached.space + Math.round((box.height - attached.space - height) / 2)
            height: Math.min(input.implicitHeight, lineHeight * composer.lines + input.topPadding
                + input.bottomPadding)
            contentWidth: width
            contentHeight: input.implicitHeight
            boundsBehavior: Flickable.StopAtBounds
            flickableDirection: Flickable.VerticalFlick
            clip: true
            Basic.ScrollBar.vertical: AppScrollBar { }

            FontMetrics {
                id: metrics

                font: input.font
            }

            Basic.TextArea.flickable: Basic.TextArea {
                id: input

                objectName: "composerInput"
                textFormat: TextEdit.PlainText
                wrapMode: TextEdit.Wrap
                font.family: Theme.sans
                font.pixelSize: Theme.fontBody
                color: Theme.text
                selectionColor: Theme.selection
                selectedTextColor: Theme.text
                selectByMouse: true
                readOnly: composer.app.chats.readOnly
                leftPadding: Theme.tiny
                rightPadding: Theme.tiny
                topPadding: 7
                bottomPadding: 7
                background: null
                placeholderTextColor: Theme.textMuted
                placeholderText: composer.app.chats.readOnly ? qsTr("This chat can only be read")
                    : composer.app.model.state === "loading"
                    ? qsTr("You can write while the model loads")
                    : qsTr("Write a message")

                Accessible.role: Accessible.EditableText
                Accessible.name: qsTr("Message")
                Accessible.description: qsTr("Enter sends, Shift and Enter start a new line")
                Accessible.multiLine: true

                Component.onCompleted: {
                    text = composer.app.chats.draft
                    cursorPosition = length
                }
                onTextChanged: {
                    composer.written = /\S/.test(text)
                    if (!composer.replacing) {
                        composer.app.chats.draft = text
                    }
                }

                Keys.onPressed: event => {
                    const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter
                    if (enter && !(event.modifiers & Qt.ShiftModifier)) {
                        event.accepted = true
                        composer.send()
                    } else if (event.key === Qt.Key_Tab || event.key === Qt.Key_Backtab) {
                        event.accepted = true
                        input.nextItemInFocusChain(event.key === Qt.Key_Tab)
                            .forceActiveFocus(Qt.TabFocusReason)
                    } else if (event.matches(StandardKey.Paste)) {
                        event.accepted = composer.files !== null && composer.files.paste()
                            || composer.pasteBeside(false)
                    } else if (event.matches(StandardKey.Undo) && !input.canUndo
                               && composer.app.chats.binCount > 0 && !input.readOnly) {
                        // The field takes this key before any shortcut, even with nothing of its own to undo.
                        event.accepted = true
                        composer.app.chats.undoDelete()
                    }
                }
            }
        }

        // The middle button pastes the text that is selected elsewhere, on systems that have such a
        // selection.
        MouseArea {
            anchors.fill: flick
            acceptedButtons: Qt.MiddleButton
            cursorShape: Qt.IBeamCursor
            onPressed: mouse => mouse.accepted = composer.pasteBeside(true)
        }

        Basic.AbstractButton {
            id: action

            objectName: "sendButton"
            anchors.right: parent.right
            anchors.bottom: parent.bottom
            anchors.margins: Theme.small + 1
            width: Math.max(36, Math.round(18 * Theme.zoom) + 14)
            height: width
            enabled: composer.app.replies.answeringHere || composer.canSend
            text: composer.app.replies.answeringHere ? qsTr("Stop") : qsTr("Send")
            focusPolicy: Qt.StrongFocus
            hoverEnabled: true
            onClicked: composer.app.replies.answeringHere ? composer.app.replies.stop() : composer.send()

            Accessible.role: Accessible.Button
            Accessible.name: composer.app.replies.answeringHere ? qsTr("Stop the answer")
                                                     : qsTr("Send the message")
            Accessible.onPressAction: action.clicked()
            Keys.onReturnPressed: action.clicked()
            Keys.onEnterPressed: action.clicked()

            background: Rectangle {
                radius: Theme.radius + 2
                color: !action.enabled ? Theme.hover
                    : action.hovered || action.down ? Theme.accentHover : Theme.accent

                FocusRing {
                    shown: action.visualFocus
                }
            }

            contentItem: Item {
                Icon {
                    anchors.centerIn: parent
                    name: composer.app.replies.answeringHere ? "stop" : "send"
                    fill: composer.app.replies.answeringHere ? color : "transparent"
                    color: action.enabled ? Theme.accentInk : Theme.textMuted
                    size: 18
                    strokeWidth: 2.1
                }
            }

            AppToolTip {
                text: composer.app.replies.answeringHere ? qsTr("Stop  ·  Esc") : qsTr("Send  ·  Enter")
                visible: action.hovered || action.visualFocus
            }
        }

        // After the button that sends, so that Tab goes there from the field.
        IconButton {
            id: attach

            objectName: "attachFile"
            anchors.left: parent.left
            anchors.bottom: parent.bottom
            anchors.margins: Theme.small + 1
            visible: composer.files !== null && !composer.app.chats.readOnly
            side: action.width
            iconName: "clip"
            text: qsTr("Attach a file")
            onClicked: composer.fileAsked()
        }
    }

    ReasoningPill {
        id: reasoning

        objectName: "reasoning"
        anchors.top: box.bottom
        anchors.topMargin: Theme.tiny
        anchors.left: parent.left
        choices: composer.app.model.reasoningChoices
        value: composer.app.model.reasoning
        onChosen: value => composer.app.model.chooseReasoning(value)
    }

    ToolsPill {
        id: tools

        objectName: "toolsPill"
        anchors.top: box.bottom
        anchors.topMargin: Theme.tiny
        anchors.right: parent.right
        tools: composer.app.tools
        chatTools: composer.app.chatTools
        onClicked: composer.toolsAsked()
    }

    Text {
        id: hint

        objectName: "composerHint"
        readonly property real beside: Math.max(reasoning.visible ? reasoning.width + Theme.small : 0,
            tools.visible ? tools.width + Theme.small : 0)
        readonly property real room: parent.width - 2 * beside
        readonly property real pills: Math.max(reasoning.visible ? reasoning.height : 0,
            tools.visible ? tools.height : 0)
        // The place that words go to is never cut off: it has lines of its own where there is no room.
        readonly property bool below: words !== "" && Math.ceil(whole.advanceWidth) > room
        readonly property string words: composer.app.model.host ?? ""  // go there

        anchors.top: box.bottom
        anchors.topMargin: Theme.tiny + 2 + (below ? pills : 0)
        anchors.horizontalCenter: parent.horizontalCenter
        width: below ? parent.width : Math.min(implicitWidth, room)
        horizontalAlignment: Text.AlignHCenter
        wrapMode: below ? Text.WrapAtWordBoundaryOrAnywhere : Text.NoWrap
        elide: below ? Text.ElideNone : Text.ElideRight
        text: composer.app.chats.readOnly
            ? qsTr("Nothing can be sent now: these chats can only be read.")
            : words !== "" && tools.visible
            ? qsTr("Answers can be wrong. Words go to %1. Tools get what you allow.").arg(words)
            : words !== "" ? qsTr("Answers can be wrong. Words go to %1.").arg(words)
            : tools.visible ? qsTr("Answers can be wrong. Tools get what you allow.")
            : qsTr("Answers can be wrong. Everything stays on this computer.")
        textFormat: Text.PlainText
        font.family: Theme.sans
        font.pixelSize: Theme.fontTiny
        color: words === "" ? Theme.textMuted : Theme.warningText

        Accessible.role: Accessible.StaticText
        Accessible.name: text
        Accessible.ignored: words === ""

        TextMetrics {
            id: whole

            font: hint.font
            text: hint.text
        }
    }
}
