import QtQuick
import Hearth

// The menu of a project in the list. It asks once it is closed and has given the keyboard back.
AppMenu {
    id: menu

    property bool readOnly: false

    property var projectId: -1
    property Item cameFrom: null

    signal newChatAsked(project: var)
    signal searchAsked(project: var)
    signal settingsAsked(project: var)
    signal renameAsked()
    signal removalAsked(project: var)

    // Below `item`, which gets the keyboard back.
    function show(project: var, item: Item): void {
        projectId = project
        cameFrom = item
        popup(item, item.width - width, item.height)
    }

    onClosed: {
        if (cameFrom !== null) {
            cameFrom.forceActiveFocus(Qt.PopupFocusReason)
        }
    }

    AppMenuItem {
        objectName: "newChatInProject"
        text: qsTr("New chat in this project")
        iconName: "plus"
        onTriggered: Qt.callLater(menu.newChatAsked, menu.projectId)  // qmllint disable
    }
    AppMenuItem {
        objectName: "searchInProject"
        text: qsTr("Search in this project")
        iconName: "search"
        onTriggered: Qt.callLater(menu.searchAsked, menu.projectId)  // qmllint disable
    }
    AppMenuItem {
        objectName: "projectSettings"
        text: qsTr("Instructions, model and files…")
        iconName: "sliders"
        enabled: !menu.readOnly
        onTriggered: Qt.callLater(menu.settingsAsked, menu.projectId)  // qmllint disable
    }
    AppMenuItem {
        objectName: "renameProject"
        text: qsTr("Rename")
        iconName: "pencil"
        hint: qsTr("F2")
        enabled: !menu.readOnly
        onTriggered: Qt.callLater(menu.renameAsked)  // qmllint disable
    }
    AppMenuLine { }
    AppMenuItem {
        objectName: "removeProject"
        text: qsTr("Delete…")
        iconName: "trash"
        hint: qsTr("Del")
        enabled: !menu.readOnly
        onTriggered: Qt.callLater(menu.removalAsked, menu.projectId)  // qmllint disable
    }
}
