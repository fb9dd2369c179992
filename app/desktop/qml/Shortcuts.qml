import QtQuick
import Hearth

// The keys that work wherever the window has the keyboard. ShortcutsDialog lists them.
Item {
    id: shortcuts

    required property AppController app

    signal newChatAsked()
    signal openAsked()
    signal listAsked()
    signal modelsAsked()
    signal mapAsked()
    signal downloadsAsked()
    signal composerAsked()
    signal settingsAsked()
    signal anotherAnswerAsked()
    signal stepAsked(rows: int)  // through the list of chats, down
    signal shortcutsAsked()
    signal renameAsked()
    signal searchAsked()
    signal instructionsAsked()
    signal quitAsked()

    Shortcut {
        sequences: [StandardKey.New]
        onActivated: shortcuts.newChatAsked()
    }
    Shortcut {
        sequences: [StandardKey.Open]
        onActivated: shortcuts.openAsked()
    }
    Shortcut {
        sequences: ["Ctrl+B"]
        onActivated: shortcuts.listAsked()
    }
    Shortcut {
        sequences: ["Ctrl+Shift+F"]
        onActivated: shortcuts.searchAsked()
    }
    Shortcut {
        sequences: ["Ctrl+M"]
        onActivated: shortcuts.modelsAsked()
    }
    Shortcut {
        sequences: ["Ctrl+Shift+M"]
        onActivated: shortcuts.mapAsked()
    }
    Shortcut {
        sequences: ["Ctrl+J"]
        onActivated: shortcuts.downloadsAsked()
    }
    Shortcut {
        sequences: ["Ctrl+L"]
        onActivated: shortcuts.composerAsked()
    }
    Shortcut {
        sequences: ["Ctrl+,"]
        onActivated: shortcuts.settingsAsked()
    }
    Shortcut {
        sequences: ["Ctrl+R"]
        onActivated: shortcuts.anotherAnswerAsked()
    }
    Shortcut {
        sequences: ["Ctrl+PgUp", "Ctrl+Up"]
        onActivated: shortcuts.stepAsked(-1)
    }
    Shortcut {
        sequences: ["Ctrl+PgDown", "Ctrl+Down"]
        onActivated: shortcuts.stepAsked(1)
    }
    Shortcut {
        sequences: ["F1", "Ctrl+/"]
        onActivated: shortcuts.shortcutsAsked()
    }
    Shortcut {
        sequences: ["F2"]
        // qmllint disable
        enabled: shortcuts.app.chats.currentId >= 0 && !shortcuts.app.chats.readOnly
        // qmllint enable
        onActivated: shortcuts.renameAsked()
    }
    Shortcut {
        sequences: ["Ctrl+I"]
        enabled: !shortcuts.app.chats.readOnly
        onActivated: shortcuts.instructionsAsked()
    }
    Shortcut {
        sequences: ["Ctrl+Z"]
        enabled: shortcuts.app.chats.binCount > 0 && !shortcuts.app.chats.readOnly
        onActivated: shortcuts.app.chats.undoDelete()
    }
    Shortcut {
        sequences: [StandardKey.ZoomIn, "Ctrl+="]
        onActivated: shortcuts.app.appearance.zoomBy(1)
    }
    Shortcut {
        sequences: [StandardKey.ZoomOut]
        onActivated: shortcuts.app.appearance.zoomBy(-1)
    }
    Shortcut {
        sequences: ["Ctrl+0"]
        onActivated: shortcuts.app.appearance.zoomBy(0)
    }
    Shortcut {
        sequences: [StandardKey.Quit]
        context: Qt.ApplicationShortcut  // also while a dialog asks something
        onActivated: shortcuts.quitAsked()
    }
}
