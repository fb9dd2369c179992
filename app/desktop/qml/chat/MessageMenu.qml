import QtQuick
import Hearth

// The menu of a message. One serves all messages: the list recycles its delegates.
AppMenu {
    id: menu

    required property var app

    property string text
    property bool fromUser: false
    property Item cameFrom: null

    // Below `item`, which gets the keyboard back. what: the message's text, without its reasoning.
    function show(what: string, isQuestion: bool, item: Item): void {
        text = what
        fromUser = isQuestion
        cameFrom = item
        popup(item, 0, item.height)
    }

    onClosed: {
        if (cameFrom !== null) {
            cameFrom.forceActiveFocus(Qt.PopupFocusReason)
        }
    }

    AppMenuItem {
        objectName: "copyMarkdown"
        text: qsTr("Copy as Markdown")
        iconName: "copy"
        onTriggered: menu.app.copyText(menu.text)
    }
    AppMenuItem {
        objectName: "copyPlain"
        text: qsTr("Copy as text")
        iconName: "copy"
        onTriggered: menu.app.copyPlain(menu.text)
    }
}
