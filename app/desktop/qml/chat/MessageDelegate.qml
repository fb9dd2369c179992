import QtQuick
import Hearth

// One message: a question as a bubble on the right, an answer over the full width, and its buttons below. The
// list recycles it, so lasting values are kept elsewhere.
FocusScope {
    id: message

    required property int index
    required property var messageId
    required property string role
    required property var blocks
    required property string errorText
    required property int versionIndex
    required property int versionCount
    required property string stats
    required property string folded  // the size of a question that is not shown in full
    required property string thought
    required property bool thoughtShown
    required property var thoughtBlocks
    required property bool continuable
    required property bool readsFromHere
    required property var calls
    // Gives `state`, a name that Item has taken, and `text`, which is read when needed: a binding would copy
    // the whole answer every frame.
    required property var model
    required property var view  // the ChatView

    readonly property var app: view.app
    readonly property bool fromUser: role === "user"
    readonly property string phase: model.state
    readonly property bool generating: phase === "generating"
    readonly property bool queued: phase === "waiting"  // another chat is answered first
    property bool pooled: false
    readonly property bool current: ListView.isCurrentItem
    readonly property bool last: index === ListView.view.count - 1
    readonly property bool editing: view.editingId === messageId
    readonly property real columnWidth: Math.min(Theme.bodyWidth, width - 2 * Theme.large)
    // Read again whenever the revision grows.
    readonly property var sentFiles: filesAt(view.files === null ? -1 : view.files.revision)
    readonly property var passages: passagesAt(view.files === null ? -1 : view.files.revision)
    readonly property bool canChange: !app.chats.readOnly && app.replies.canSend

    // The list only stops drawing the delegates that it pools; Tab and screen readers would still find them.
    ListView.onPooled: {
        visible = false
        pooled = true
        view.pointedLink = ""
    }
    ListView.onReused: {
        visible = true
        pooled = false
    }

    function filesAt(revision: int): var {
        return revision >= 0 && fromUser ? view.files.ofQuestion(messageId) : []
    }

    function passagesAt(revision: int): var {
        return revision >= 0 && !fromUser ? view.files.underAnswer(messageId) : []
    }

    function takeFocus(): void {
        place.forceActiveFocus(Qt.TabFocusReason)
    }

    function focusEditor(): void {
        const editor = editorLoader.item as MessageEditor
        if (editor !== null) {
            editor.takeFocus()
        }
    }

    width: ListView.view ? ListView.view.width : 0
    implicitHeight: Math.ceil(column.implicitHeight)
        + (fromUser && !editing ? Theme.tiny : Theme.large)

    HoverHandler {
        id: hover
    }

    // Has the keyboard focus when it is on the message itself and not on one of its buttons. Tab comes here
    // and goes on to the buttons of the current message only.
    Item {
        id: place

        anchors.fill: parent
        focus: true
        activeFocusOnTab: message.current || activeFocus

        Accessible.role: Accessible.ListItem
        Accessible.name: message.fromUser ? qsTr("You wrote")
            : message.generating ? qsTr("Hearth is answering")
            : message.queued ? qsTr("Hearth will answer when the other chat is answered")
            : qsTr("Hearth answered")
        Accessible.focusable: true
        Accessible.focused: activeFocus

        onActiveFocusChanged: {
            if (activeFocus) {
                message.view.show(message.index)
            }
        }
    }

    Rectangle {
        visible: place.activeFocus && !message.editing
        anchors.fill: column
        anchors.margins: -Theme.small
        radius: Theme.radius + 2
        color: "transparent"
        border.width: 2
        border.color: Theme.focus
    }

    Rectangle {
        objectName: "foundMark"
        visible: message.view.foundId === message.messageId
        x: Theme.at(column.x - Theme.medium, width, message.width)
        y: column.y
        width: 3
        height: column.height
        radius: 1
        color: Theme.accent
    }

    Column {
        id: column

        x: Math.round((message.width - message.columnWidth) / 2)
        y: Theme.small
        width: message.columnWidth
        spacing: message.fromUser ? 2 : Theme.small

        Loader {
            active: message.readsFromHere && !message.pooled
            visible: active
            width: parent.width
            sourceComponent: ReadingMark { }
        }

        Row {
            visible: !message.fromUser
            spacing: Theme.small

            Logo {
                anchors.verticalCenter: parent.verticalCenter
                size: 18
            }

            Text {
                anchors.verticalCenter: parent.verticalCenter
                text: qsTr("Hearth")
                textFormat: Text.PlainText
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                font.weight: Font.DemiBold
                color: Theme.textMuted
                Accessible.ignored: true
            }
        }

        Loader {
            id: editorLoader

            active: message.editing
            visible: active
            width: parent.width
            sourceComponent: MessageEditor {
                text: message.view.editingText
                canSave: message.canChange
                onTextChanged: message.view.editingText = text
                onSaved: message.view.saveEdit()
                onCancelled: message.view.cancelEdit()
            }
        }

        Repeater {
            model: message.pooled || message.editing ? [] : message.sentFiles

            delegate: AttachedFile {
                required property var modelData

                objectName: "sentFile"
                x: Theme.at(column.width - width, width, column.width)
                width: Math.min(implicitWidth, column.width)
                name: modelData.name
                says: modelData.says
                reachable: message.current
                onLooked: message.view.files.open(modelData.id, message.messageId, -1)
            }
        }

        Loader {
            active: message.thought !== "" && !message.pooled
            visible: active
            width: parent.width
            sourceComponent: ThoughtFold {
                phase: message.thought
                shown: message.thoughtShown
                blocks: message.thoughtBlocks
                app: message.app
                reachable: message.current
                view: message.ListView.view
                onToggled: message.view.showThought(message.messageId, !shown)
                onLinkPointed: link => message.view.pointedLink = link
                onLinkAsked: link => message.view.askLink(link)

                readonly property real place: message.ListView.view === null ? 0
                    : message.y - message.ListView.view.contentY

                onPlaceChanged: moved()
            }
        }

        Loader {
            active: message.calls.length > 0 && !message.pooled
            visible: active
            width: parent.width
            sourceComponent: ToolCalls {
                objectName: "toolCalls"
                calls: message.calls
                openCall: message.view.openCall
                reachable: message.current
                onToggled: callId => message.view.toggleCall(callId)
                onWholeAsked: (text, size) => message.view.wholeText(text, size)
            }
        }

        Rectangle {
            id: bubble

            objectName: message.fromUser ? "userBubble" : "answer"
            readonly property real inset: message.fromUser ? Theme.medium + 2 : 0
            readonly property real most: message.fromUser ? Math.round(parent.width * 0.86)
                                                          : parent.width

            // Not an anchor: once undone for a recycled delegate, it would leave the old x behind.
            x: Theme.at(message.fromUser ? parent.width - width : 0, width, parent.width)
            visible: !message.editing && (blockColumn.children.length > 1
                || !message.generating && !message.queued)
            width: message.fromUser
                ? Math.min(most, Math.max(36, blockColumn.naturalWidth + 2 * inset)) : most
            height: blockColumn.implicitHeight + (message.fromUser ? 2 * 9 : 0)
            radius: Theme.radiusLarge
            color: message.fromUser ? Theme.bubble : "transparent"

            BlockCulling {
                readonly property real place: message.ListView.view === null ? 0
                    : message.y - message.ListView.view.contentY

                column: blockColumn
                view: message.ListView.view
                onPlaceChanged: moved()
            }

            Column {
                id: blockColumn

                property real naturalWidth: 0

                // Only a bubble asks its blocks for their natural width.
                function measure(): void {
                    let wide = 0
                    for (let i = 0; i < blockRepeater.count; ++i) {
                        const block = blockRepeater.itemAt(i) as BlockDelegate
                        wide = Math.max(wide, block === null ? 0 : block.naturalWidth)
                    }
                    naturalWidth = Math.ceil(wide) + 1
                }

                x: bubble.inset
                y: message.fromUser ? 9 : 0
                width: bubble.width - 2 * bubble.inset
                spacing: Theme.medium + 2

                Repeater {
                    id: blockRepeater

                    // A message's blocks may get the address of a deleted message's blocks: the same pointer
                    // would be no change, and the old text would stay.
                    model: message.pooled ? null : message.blocks
                    onItemAdded: {
                        if (message.fromUser) {
                            blockColumn.measure()
                        }
                    }

                    delegate: BlockDelegate {
                        width: blockColumn.width
                        app: message.app
                        generating: message.generating
                        draws: !message.fromUser
                        reachable: message.current
                        hug: message.fromUser
                        onNaturalWidthChanged: blockColumn.measure()
                        onSettled: text => message.view.announce(text)
                        onLinkPointed: link => message.view.pointedLink = link
                        onLinkAsked: link => message.view.askLink(link)
                    }
                }
            }
        }

        Row {
            id: waiting

            visible: (message.generating || message.queued) && blockRepeater.count === 0
                && message.thought !== "open"
            spacing: Theme.small
            height: 24

            EmberCaret {
                anchors.verticalCenter: parent.verticalCenter
                running: waiting.visible && message.generating
            }

            Text {
                anchors.verticalCenter: parent.verticalCenter
                objectName: "waitingText"
                width: Math.min(implicitWidth, waiting.parent.width - x)
                elide: Text.ElideRight
                text: message.queued ? qsTr("Waiting until the other chat is answered…")
                    : message.app.consent?.asking ? qsTr("Nothing is sent yet.")
                    : message.app.model.state === "ready" ? qsTr("Thinking…")
                    : qsTr("Waiting for the model…")
                textFormat: Text.PlainText
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: Theme.textMuted
            }
        }

        AppButton {
            objectName: "showAll"
            x: Theme.at(message.fromUser ? parent.width - width : 0, width, parent.width)
            visible: message.folded !== "" && !message.editing
            kind: "quiet"
            text: qsTr("Show all: %1").arg(message.folded)
            activeFocusOnTab: message.current || activeFocus
            onClicked: message.view.wholeText(message.model.text, message.folded)
        }

        // Names the characters that no installed font can draw.
        Text {
            objectName: "missingLetters"
            width: parent.width
            topPadding: message.fromUser ? Theme.tiny : 0
            visible: text !== "" && !message.editing
            // Read once the answer is complete.
            text: message.generating ? "" : Letters.missing(message.model.answer)
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            horizontalAlignment: message.fromUser ? Text.AlignRight : Text.AlignLeft
            font.family: Theme.sans
            font.pixelSize: Theme.fontTiny
            color: Theme.textMuted

            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }

        Loader {
            active: message.passages.length > 0 && !message.pooled
            visible: active
            width: parent.width
            sourceComponent: UsedPassages {
                objectName: "usedPassages"
                passages: message.passages
                reachable: message.current
                onAsked: (documentId, passage) =>
                    message.view.files.open(documentId, message.messageId, passage)
            }
        }

        MessageStatus {
            width: parent.width
            phase: message.phase
            errorText: message.errorText
            canRetry: message.canChange
            continuable: message.continuable
            canContinue: message.last && !message.app.model.host
            reachable: message.current
            onContinued: message.view.continueAnswer(message.messageId)
            onRetried: message.view.regenerate(message.messageId)
        }

        MessageActions {
            id: actions

            objectName: "messageActions"
            x: Theme.at(message.fromUser ? parent.width - width : 0, width, parent.width)
            visible: !message.generating && !message.queued && !message.editing
            // Always shown under an answer; under a question only with the pointer or the keyboard on it.
            opacity: !message.fromUser || message.last || hover.hovered || message.activeFocus
                || versionCount > 1 ? 1 : 0
            fromUser: message.fromUser
            versionIndex: message.versionIndex
            versionCount: message.versionCount
            stats: message.stats
            widthMost: parent.width
            canChange: message.canChange
            tooLong: message.folded !== ""
            reachable: message.current
            onCopied: message.app.copyText(message.model.answer)
            onMenuAsked: from => message.view.showMenu(message.model.answer, message.fromUser, from)
            onEdited: message.view.startEdit(message.messageId, message.model.text)
            onRegenerated: message.view.regenerate(message.messageId)
            onVersionAsked: index => message.view.selectVersion(message.messageId, index)
        }
    }
}
