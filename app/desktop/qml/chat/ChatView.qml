import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The messages of the conversation. The end stays in view while an answer is written, until the reader
// scrolls away; a button leads back. The list is one stop for Tab: Up and Down choose a message, and Tab then
// goes through its buttons.
FocusScope {
    id: chat

    required property var app
    property var files: null  // the Attachments; null: messages have none

    // The question under edit, kept here because the list recycles its delegates.
    property var editingId: null
    property string editingText
    // Edits begun in other conversations, by conversation: {id, text}. An edit that the disk refused must
    // not be lost by a click on another chat.
    property var otherEdits: ({})
    property var shownId: null  // no binding: changeEdit() needs the conversation before
    property bool pinned: true
    property var openCall: null  // the call of a tool that is unfolded, by its callId
    property var foundId: null  // the message that a search led to
    property string pointedLink  // under the pointer or the keyboard
    signal announce(string text)
    signal wholeText(string text, string size)  // of a question that is shown in part
    signal finishedEditing()

    // Scrolls as little as needed; a message taller than the view stays where it is.
    function show(row: int): void {
        const item = list.itemAtIndex(row)
        if (item !== null && item.height < list.height) {
            list.positionViewAtIndex(row, ListView.Contain)
            list.noteReader()
        }
    }

    // A message that fits the view is shown in its middle, a longer one from its beginning.
    function showFound(messageId: var): void {
        pinned = false
        foundId = messageId
        const row = app.chats.messages.indexOf(messageId)
        list.forceLayout()
        list.currentIndex = row
        list.positionViewAtIndex(row, ListView.Center)
        const item = list.itemAtIndex(row) as MessageDelegate
        if (item !== null) {
            if (item.height > list.height) {
                list.positionViewAtIndex(row, ListView.Beginning)
            }
            item.takeFocus()
        }
    }

    function regenerateLast(): void {
        toEnd()
        const item = list.itemAtIndex(list.count - 1) as MessageDelegate
        if (item !== null) {
            regenerate(item.messageId)
        }
    }

    function regenerate(messageId: var): void {
        const row = app.chats.messages.indexOf(messageId)
        pinned = true
        app.replies.regenerate(messageId)
        makeCurrent(row)
    }

    function continueAnswer(messageId: var): void {
        const row = app.chats.messages.indexOf(messageId)
        pinned = true
        app.replies.continueAnswer(messageId)
        makeCurrent(row)
    }

    function showMenu(text: string, isQuestion: bool, from: Item): void {
        menuLoader.active = true
        const menu = menuLoader.item as MessageMenu
        menu.show(text, isQuestion, from)
    }

    function startEdit(messageId: var, text: string): void {
        editingText = text
        editingId = messageId
        const row = app.chats.messages.indexOf(messageId)
        list.currentIndex = row
        list.positionViewAtIndex(row, ListView.Contain)
        const item = list.itemAtIndex(row) as MessageDelegate
        if (item !== null) {
            item.focusEditor()
        }
    }

    function saveEdit(): void {
        pinned = true
        if (app.replies.edit(editingId, editingText)) {
            editingId = null
            finishedEditing()
        }
    }

    function cancelEdit(): void {
        editingId = null
        const item = list.currentItem as MessageDelegate
        if (item !== null) {
            item.takeFocus()
        }
    }

    // Puts the edit of the conversation that was shown aside and takes up the one of the new conversation.
    function changeEdit(): void {
        if (editingId !== null) {
            otherEdits[shownId] = { id: editingId, text: editingText }
        }
        shownId = app.chats.currentId
        const edit = otherEdits[shownId]
        delete otherEdits[shownId]
        editingText = edit !== undefined ? edit.text : ""
        editingId = edit !== undefined ? edit.id : null
    }

    function selectVersion(messageId: var, index: int): void {
        const row = app.chats.messages.indexOf(messageId)
        pinned = false
        app.chats.selectVersion(messageId, index)
        makeCurrent(row)
    }

    // The version that comes stands in the place of the one that goes, and Tab finds it there: for
    // the list the row is gone.
    function makeCurrent(row: int): void {
        list.forceLayout()
        list.currentIndex = Math.min(row, list.count - 1)
    }

    // Unfolded text is read from its first line: the view does not go on to the end.
    function showThought(messageId: var, shown: bool): void {
        if (shown) {
            pinned = false
        }
        app.chats.messages.showThought(messageId, shown)
    }

    function toggleCall(callId: var): void {
        pinned = pinned && callId === null
        openCall = callId
    }

    function askLink(link: string): void {
        links.active = true
        const dialog = links.item as LinkDialog
        dialog.ask(link)
    }

    function toEnd(): void {
        pinned = true
        list.follow()
    }

    function scrollBy(pages: real): void {
        const least = list.originY
        const most = Math.max(least, list.originY + list.contentHeight - list.height)
        list.contentY = Math.max(least, Math.min(most, list.contentY + pages * list.height * 0.85))
        list.noteReader()
    }

    Component.onCompleted: shownId = app.chats.currentId

    // The message that holds the focus, at any depth, is the current one. Not a binding: making it current
    // moves the focus on, and the binding would loop.
    Connections {
        target: chat.Window.window

        function onActiveFocusItemChanged(): void {
            let item = chat.Window.activeFocusItem
            while (item !== null && item.parent !== list.contentItem) {
                item = item.parent
            }
            const message = item as MessageDelegate  // null for the header and the footer
            if (message !== null) {
                list.currentIndex = message.index
            }
        }
    }

    Connections {
        target: chat.app.chats

        function onCurrentChanged(): void {
            chat.changeEdit()
            chat.pointedLink = ""
            chat.foundId = null
            chat.toEnd()
            list.currentIndex = list.count - 1
        }

        function onMessageAsked(messageId: var): void {
            chat.showFound(messageId)
        }
    }

    Connections {
        target: chat.app.replies

        function onSent(): void {
            chat.makeCurrent(chat.app.chats.messages.count - 1)
            chat.toEnd()
        }

        function onGeneratingChanged(): void {
            if (chat.pinned) {
                Qt.callLater(list.follow)  // qmllint disable
            }
        }
    }

    ListView {
        id: list

        objectName: "messageList"

        // True at the end, as far as known: delegates out of view have an estimated height.
        readonly property bool atEnd: contentHeight <= height
            || contentY + height >= originY + contentHeight - 24

        function follow(): void {
            if (chat.pinned && !moving && count > 0) {
                positionViewAtEnd()
            }
        }

        // Called after the reader moved the list.
        function noteReader(): void {
            chat.pinned = atEnd
        }

        anchors.fill: parent
        focus: true
        model: chat.app.chats.messages
        reuseItems: true
        cacheBuffer: 400
        boundsBehavior: Flickable.StopAtBounds
        highlightFollowsCurrentItem: false
        keyNavigationEnabled: false
        maximumFlickVelocity: 4000
        clip: true

        Accessible.role: Accessible.List
        Accessible.name: qsTr("Messages")

        header: Item {
            width: 1
            height: Theme.medium
        }
        footer: Item {
            width: 1
            height: Theme.small
        }

        delegate: MessageDelegate {
            view: chat
        }

        Basic.ScrollBar.vertical: AppScrollBar {
            id: bar

            onPressedChanged: list.noteReader()
        }

        FollowFocus {
            view: list
            keeps: false  // the view follows a growing answer
            onMoved: list.noteReader()
        }

        onMovementStarted: chat.pinned = false
        onMovementEnded: noteReader()
        onContentHeightChanged: Qt.callLater(follow)  // qmllint disable
        onHeightChanged: Qt.callLater(follow)  // qmllint disable
        onCountChanged: {
            if (currentIndex < 0 || currentIndex >= count || chat.pinned) {
                currentIndex = count - 1
            }
        }

        Keys.onPressed: event => {
            const step = event.key === Qt.Key_Up ? -1 : event.key === Qt.Key_Down ? 1 : 0
            if (step !== 0) {
                event.accepted = true
                const next = currentIndex + step
                const item = currentItem
                // A message taller than the window is scrolled through before the next one is chosen.
                if (item !== null && step > 0 && item.y + item.height > contentY + height + 1) {
                    chat.scrollBy(0.3)
                } else if (item !== null && step < 0 && item.y < contentY - 1) {
                    chat.scrollBy(-0.3)
                } else if (next >= 0 && next < count) {
                    currentIndex = next
                    positionViewAtIndex(next, ListView.Contain)
                    noteReader()
                    const message = currentItem as MessageDelegate
                    message.takeFocus()
                }
            } else if (event.key === Qt.Key_PageUp) {
                event.accepted = true
                chat.scrollBy(-1)
            } else if (event.key === Qt.Key_PageDown) {
                event.accepted = true
                chat.scrollBy(1)
            } else if (event.key === Qt.Key_End) {
                event.accepted = true
                currentIndex = count - 1
                chat.toEnd()
            } else if (event.key === Qt.Key_Home) {
                event.accepted = true
                chat.pinned = false
                currentIndex = 0
                positionViewAtBeginning()
            }
        }
    }

    // Text fades out under the edges instead of being cut. (Not one rectangle turned upside down: Qt's own
    // renderer does not turn a gradient.)
    component Fade: Rectangle {
        id: fade

        property color above: Theme.window
        property color below: Qt.alpha(Theme.window, 0)

        width: chat.width - 12
        height: 14
        gradient: Gradient {
            GradientStop {
                position: 0
                color: fade.above
            }
            GradientStop {
                position: 1
                color: fade.below
            }
        }
    }

    Fade { }

    Fade {
        objectName: "fadeBelow"
        anchors.bottom: parent.bottom
        height: 28
        above: Qt.alpha(Theme.window, 0)
        below: Theme.window
    }

    LinkLine {
        anchors.left: parent.left
        anchors.bottom: parent.bottom
        anchors.leftMargin: Theme.large
        // Above the button, which would cover the end of an address.
        anchors.bottomMargin: Theme.small + (jump.visible ? jump.height + Theme.small : 0)
        widthMost: Math.min(Theme.bodyWidth, chat.width - 2 * Theme.large)
        link: chat.pointedLink
    }

    // Created on first use.
    Loader {
        id: menuLoader

        active: false
        sourceComponent: MessageMenu {
            objectName: "messageMenu"
            app: chat.app
        }
    }

    // Created on first use.
    Loader {
        id: links

        active: false
        sourceComponent: LinkDialog {
            objectName: "linkDialog"
            app: chat.app
        }
    }

    AppButton {
        id: jump

        objectName: "jumpToEnd"
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.bottomMargin: Theme.small
        visible: !chat.pinned && !list.atEnd
        iconName: "down"
        text: qsTr("Jump to the latest")
        onClicked: {
            chat.toEnd()
            list.currentIndex = list.count - 1
            list.forceActiveFocus(Qt.OtherFocusReason)  // the button goes
        }

        FadeIn {
            item: jump
        }
    }
}
