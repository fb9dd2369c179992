import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// One conversation in the list: its title over the beginning of its last message. Or a project: its name over its
// chats, which it hides when it is folded. Both are renamed in place.
Item {
    id: row

    required property int index
    required property var conversationId
    required property string title
    required property string preview
    required property bool active
    required property string activity  // "answering", "waiting", ""
    required property bool pinned
    required property var projectId
    required property bool isProject
    required property bool folded
    required property int chatCount
    required property Chats chats
    required property Projects projects

    objectName: isProject ? "project" : "conversation"

    property bool editing: false
    readonly property bool current: ListView.isCurrentItem
    readonly property bool lit: hover.hovered || (current && ListView.view.activeFocus)

    signal opened()
    signal menuAsked(from: Item)
    signal projectRemovalAsked()

    // Opens a chat, folds a project or unfolds it.
    function act(): void {
        if (isProject) {
            projects.rows.setFolded(projectId, !folded)
        } else {
            opened()
        }
    }

    function remove(): void {
        if (isProject) {
            projectRemovalAsked()
        } else {
            chats.remove(conversationId)
        }
    }

    function startRename(): void {
        if (chats.readOnly || editing) {
            return
        }
        editing = true
        editor.text = title
        editor.forceActiveFocus(Qt.OtherFocusReason)
        editor.selectAll()
    }

    function endRename(keep: bool): void {
        if (!editing) {
            return
        }
        const here = editor.activeFocus  // else somebody has gone on with something else
        editing = false
        const wanted = editor.text.trim()
        if (keep && wanted !== "" && wanted !== title) {
            if (isProject) {
                projects.rename(projectId, wanted)
            } else {
                chats.rename(conversationId, wanted)
            }
        }
        if (here) {
            row.forceActiveFocus(Qt.OtherFocusReason)
        }
    }

    implicitHeight: column.implicitHeight + 2 * Theme.small
    // The list is one stop for Tab, at its current row; the buttons of that row come next.
    activeFocusOnTab: current || activeFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: isProject ? qsTr("Project %1").arg(title) : title
    Accessible.description: isProject ? (folded ? qsTr("Chats: %1, folded").arg(chatCount)
                                                : qsTr("Chats: %1").arg(chatCount))
        : activity === "answering" ? qsTr("Is being answered. %1").arg(preview)
        : activity === "waiting" ? qsTr("Waits to be answered. %1").arg(preview) : preview
    Accessible.focusable: true
    Accessible.focused: activeFocus
    Accessible.selectable: true
    Accessible.selected: active
    Accessible.onPressAction: row.act()

    // (A key that is held down has ended the renaming before.)
    Keys.onReturnPressed: event => {
        if (!event.isAutoRepeat) {
            row.act()
        }
    }
    Keys.onEnterPressed: event => {
        if (!event.isAutoRepeat) {
            row.act()
        }
    }
    Keys.onSpacePressed: row.act()
    // The key is this row's, and not the window's shortcut for the chat that is shown.
    Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_F2
    Keys.onPressed: event => {
        if (event.key === Qt.Key_F2) {
            event.accepted = true
            startRename()
        } else if (isProject && (event.key === Qt.Key_Left || event.key === Qt.Key_Right)) {
            event.accepted = true
            projects.rows.setFolded(projectId, event.key === Qt.Key_Left)
        } else if (event.key === Qt.Key_Menu
                   || event.key === Qt.Key_F10 && event.modifiers === Qt.ShiftModifier) {
            event.accepted = true
            row.menuAsked(row)
        } else if (event.key === Qt.Key_Delete && !chats.readOnly) {
            event.accepted = true
            if (!event.isAutoRepeat) {  // held down, the key would go on with the next row
                row.remove()
            }
        }
    }

    Rectangle {
        anchors.fill: parent
        anchors.topMargin: 1
        anchors.bottomMargin: 1
        radius: Theme.radius
        color: row.active ? Theme.selected : row.lit ? Theme.hover : "transparent"

        FocusRing {
            shown: row.activeFocus
            gap: -1
        }
    }

    HoverHandler {
        id: hover
    }

    TapHandler {
        onTapped: row.act()
        onDoubleTapped: {
            if (!row.isProject) {  // its second click folds it again
                row.startRename()
            }
        }
    }

    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: row.menuAsked(row)
    }

    Icon {
        id: foldMark

        anchors.left: parent.left
        anchors.leftMargin: Theme.small
        anchors.verticalCenter: parent.verticalCenter
        visible: row.isProject
        name: row.folded ? "chevronRight" : "chevronDown"
        size: 12
        color: Theme.textMuted
    }

    Icon {
        id: folderMark

        anchors.left: foldMark.right
        anchors.leftMargin: Theme.tiny
        anchors.verticalCenter: parent.verticalCenter
        visible: row.isProject
        name: "folder"
        size: 16
        color: Theme.textMuted
    }

    Column {
        id: column

        anchors.left: row.isProject ? folderMark.right : parent.left
        anchors.right: buttons.visible && row.lit ? buttons.left : parent.right
        anchors.leftMargin: row.isProject ? Theme.small
            : row.projectId >= 0 ? 2 * Theme.medium + Theme.small : Theme.medium
        anchors.rightMargin: Theme.small
        anchors.verticalCenter: parent.verticalCenter
        spacing: 2

        Text {
            id: titleText

            width: parent.width - (mark.visible ? mark.width + Theme.small : 0)
            visible: !row.editing
            text: row.title
            textFormat: Text.PlainText
            elide: Text.ElideRight
            maximumLineCount: 1
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall + 1
            font.weight: row.active || row.isProject ? Font.DemiBold : Font.Normal
            color: Theme.text
        }

        Basic.TextField {
            id: editor

            objectName: "renameField"
            width: parent.width
            visible: row.editing
            padding: 4
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall + 1
            color: Theme.text
            selectionColor: Theme.selection
            selectedTextColor: Theme.text
            maximumLength: 200
            selectByMouse: true

            Accessible.role: Accessible.EditableText
            Accessible.name: qsTr("New title")

            background: Rectangle {
                radius: 6
                color: Theme.surface
                border.width: 2
                border.color: Theme.focus
            }

            // Not accepted(): the key would go on to the row, and open the chat.
            Keys.onReturnPressed: row.endRename(true)
            Keys.onEnterPressed: row.endRename(true)
            onActiveFocusChanged: {
                if (!activeFocus) {
                    row.endRename(true)
                }
            }
            Keys.onEscapePressed: row.endRename(false)
        }

        Text {
            width: parent.width
            visible: !row.editing && text !== ""
            text: row.preview.replace(/[*`#|>~]+/g, "").trim()
            textFormat: Text.PlainText
            elide: Text.ElideRight
            maximumLineCount: 1
            font.family: Theme.sans
            font.pixelSize: Theme.fontTiny
            color: Theme.textMuted
        }
    }

    // Filled while the chat is answered, a ring while it waits for its turn.
    Rectangle {
        id: mark

        objectName: "activityMark"
        anchors.right: column.right
        y: column.y + titleText.y + Math.round((titleText.height - height) / 2)
        visible: row.activity !== "" && !row.editing
        width: 8
        height: 8
        radius: 4
        color: row.activity === "answering" ? Theme.accent : "transparent"
        border.width: row.activity === "answering" ? 0 : 2
        border.color: Theme.accent
    }

    Row {
        id: buttons

        anchors.right: parent.right
        anchors.rightMargin: 6
        anchors.verticalCenter: parent.verticalCenter
        // On the current row they are stops for Tab even while they are not shown.
        visible: (row.lit || row.current) && !row.editing && !row.chats.readOnly
        opacity: row.lit ? 1 : 0

        IconButton {
            id: renameButton

            side: 28
            iconSize: 17
            iconName: "pencil"
            text: qsTr("Rename")
            hint: qsTr("F2")
            activeFocusOnTab: row.current || activeFocus
            Accessible.name: qsTr("Rename %1").arg(row.title)
            onClicked: row.startRename()
        }

        IconButton {
            id: deleteButton

            objectName: "deleteConversation"
            side: 28
            iconSize: 17
            iconName: "trash"
            text: qsTr("Delete")
            hint: qsTr("Del")
            activeFocusOnTab: row.current || activeFocus
            inkHover: Theme.errorText
            Accessible.name: qsTr("Delete %1").arg(row.title)
            onClicked: row.remove()
        }

        IconButton {
            id: moreButton

            objectName: "chatMenuButton"
            side: 28
            iconSize: 17
            iconName: "dots"
            text: qsTr("More")
            activeFocusOnTab: row.current || activeFocus
            Accessible.name: qsTr("More for %1").arg(row.title)
            onClicked: row.menuAsked(moreButton)
        }
    }
}
