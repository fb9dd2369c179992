import QtQuick
import Hearth

// The menu of a chat in the list. What it asks for is done once it is closed and has given the keyboard back.
AppMenu {
    id: menu

    required property Chats chats

    property var chatId: -1
    property bool pinned: false
    property Item cameFrom: null

    signal renameAsked()
    signal instructionsAsked(chat: var)
    signal moveAsked(chat: var, from: Item)
    signal exportAsked(chat: var, asJson: bool)

    // Below `item`, which gets the keyboard back.
    function show(chat: var, isPinned: bool, item: Item): void {
        chatId = chat
        pinned = isPinned
        cameFrom = item
        popup(item, item.width - width, item.height)
    }

    onClosed: {
        if (cameFrom !== null) {
            cameFrom.forceActiveFocus(Qt.PopupFocusReason)
        }
    }

    AppMenuItem {
        objectName: "pinChat"
        text: menu.pinned ? qsTr("Unpin") : qsTr("Pin to the top")
        iconName: "pin"
        enabled: !menu.chats.readOnly
        onTriggered: menu.chats.setPinned(menu.chatId, !menu.pinned)
    }
    AppMenuItem {
        objectName: "renameChat"
        text: qsTr("Rename")
        iconName: "pencil"
        hint: qsTr("F2")
        enabled: !menu.chats.readOnly
        onTriggered: Qt.callLater(menu.renameAsked)  // qmllint disable
    }
    AppMenuItem {
        objectName: "chatInstructions"
        text: qsTr("Instructions…")
        iconName: "sliders"
        enabled: !menu.chats.readOnly
        onTriggered: Qt.callLater(menu.instructionsAsked, menu.chatId)  // qmllint disable
    }
    AppMenuItem {
        objectName: "moveChat"
        text: qsTr("Move to a project…")
        iconName: "folder"
        enabled: !menu.chats.readOnly
        onTriggered: Qt.callLater(menu.moveAsked, menu.chatId, menu.cameFrom)  // qmllint disable
    }
    AppMenuLine { }
    AppMenuItem {
        objectName: "exportMarkdown"
        text: qsTr("Export as Markdown…")
        iconName: "download"
        onTriggered: Qt.callLater(menu.exportAsked, menu.chatId, false)  // qmllint disable
    }
    AppMenuItem {
        objectName: "exportJson"
        text: qsTr("Export as JSON…")
        iconName: "download"
        onTriggered: Qt.callLater(menu.exportAsked, menu.chatId, true)  // qmllint disable
    }
    AppMenuLine { }
    AppMenuItem {
        objectName: "deleteChat"
        text: qsTr("Delete")
        iconName: "trash"
        hint: qsTr("Del")
        enabled: !menu.chats.readOnly
        onTriggered: menu.chats.remove(menu.chatId)
    }
}
