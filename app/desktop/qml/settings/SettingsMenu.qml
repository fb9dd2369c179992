import QtQuick
import Hearth

// The menu for the window's appearance, deleted chats, and help.
AppMenu {
    id: menu

    required property Appearance appearance
    required property Chats chats

    signal downloadsAsked()
    signal networkAsked()
    signal toolsAsked()
    signal settingsAsked()
    signal shortcutsAsked()
    signal aboutAsked()
    signal importAsked()
    signal exportAllAsked()

    component ThemeItem: AppMenuItem {
        required property string mode

        checkable: true
        // qmllint disable
        checked: menu.appearance.themeMode === mode
        onTriggered: {
            menu.appearance.themeMode = mode
            // A click on the checked item would switch it off.
            checked = Qt.binding(() => menu.appearance.themeMode === mode)
        }
        // qmllint enable
    }

    ThemeItem {
        text: qsTr("Colours of the system")
        mode: "system"
    }
    ThemeItem {
        text: qsTr("Light")
        mode: "light"
    }
    ThemeItem {
        text: qsTr("Dark")
        mode: "dark"
    }
    AppMenuLine { }
    AppMenuItem {
        objectName: "bringBack"
        text: qsTr("Bring back the last deleted chat")
        iconName: "undo"
        hint: qsTr("Ctrl+Z")
        enabled: menu.chats.binCount > 0 && !menu.chats.readOnly
        onTriggered: menu.chats.undoDelete()
    }
    AppMenuItem {
        objectName: "importChats"
        text: qsTr("Import chats…")
        iconName: "folder"
        enabled: !menu.chats.readOnly
        onTriggered: menu.importAsked()
    }
    AppMenuItem {
        objectName: "exportAll"
        text: qsTr("Export all chats…")
        iconName: "download"
        onTriggered: menu.exportAllAsked()
    }
    AppMenuLine { }
    AppMenuItem {
        objectName: "downloadsItem"
        text: qsTr("Downloads")
        iconName: "download"
        hint: qsTr("Ctrl+J")
        onTriggered: menu.downloadsAsked()
    }
    AppMenuItem {
        objectName: "networkItem"
        text: qsTr("Network")
        iconName: "globe"
        onTriggered: menu.networkAsked()
    }
    AppMenuItem {
        objectName: "toolsItem"
        text: qsTr("Tools")
        iconName: "wrench"
        onTriggered: menu.toolsAsked()
    }
    AppMenuLine { }
    AppMenuItem {
        objectName: "openSettings"
        text: qsTr("Settings…")
        iconName: "sliders"
        hint: qsTr("Ctrl+,")
        onTriggered: menu.settingsAsked()
    }
    AppMenuItem {
        text: qsTr("Keyboard shortcuts")
        iconName: "keyboard"
        hint: qsTr("F1")
        onTriggered: menu.shortcutsAsked()
    }
    AppMenuItem {
        text: qsTr("About Hearth")
        iconName: "info"
        onTriggered: menu.aboutAsked()
    }
}
