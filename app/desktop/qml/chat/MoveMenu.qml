import QtQuick
import QtQml
import Hearth

// The projects into which a chat can be moved.
AppMenu {
    id: targets

    required property Chats chats
    required property Projects projects

    property var chatId: -1
    property Item cameFrom: null

    signal projectAsked(chat: var)  // a new one for the chat

    // Below `item`, which gets the keyboard back.
    function show(chat: var, item: Item): void {
        chatId = chat
        cameFrom = item
        popup(item, item.width - width, item.height)
        currentIndex = 0
    }

    onClosed: {
        if (cameFrom !== null) {
            cameFrom.forceActiveFocus(Qt.PopupFocusReason)
        }
    }

    AppMenuItem {
        objectName: "moveOut"
        text: qsTr("No project")
        iconName: "close"
        onTriggered: targets.chats.moveTo(targets.chatId, -1)
    }
    Instantiator {
        model: targets.projects.all

        delegate: AppMenuItem {
            required property var modelData

            objectName: "moveInto"
            text: modelData.name
            iconName: "folder"
            Accessible.name: qsTr("Move into %1").arg(text)
            onTriggered: targets.chats.moveTo(targets.chatId, modelData.id)
        }

        onObjectAdded: (index, object) => targets.insertItem(1 + index, object as AppMenuItem)
        onObjectRemoved: (index, object) => targets.removeItem(object as AppMenuItem)
    }
    AppMenuItem {
        objectName: "moveIntoNew"
        text: qsTr("New project…")
        iconName: "plus"
        onTriggered: Qt.callLater(targets.projectAsked, targets.chatId)  // qmllint disable
    }
}
