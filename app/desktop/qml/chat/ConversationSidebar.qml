import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The projects with their chats, the other chats under their dates, with the button for a new one, the search over all of them, and the menu of
// the application.
FocusScope {
    id: sidebar

    required property var app

    readonly property bool searching: app.search.query.trim() !== ""
    // The project whose chats alone are searched; empty: all are.
    readonly property string searchedProject: {
        const project = app.projects.all.find(one => one.id === app.search.project)
        return project === undefined ? "" : project.name
    }

    signal chosen()          // a conversation was opened or begun
    signal foundChosen()     // a message that was found is about to be shown
    signal searchLeft()      // with the keyboard, and with nothing searched
    signal hidden()          // the button that folds the sidebar away
    signal downloadsAsked()
    signal networkAsked()
    signal toolsAsked()
    signal settingsAsked()
    signal shortcutsAsked()
    signal aboutAsked()
    signal instructionsAsked(chat: var)
    signal projectAsked(project: var, movedChat: var)  // -1: a new one; the chat to move there, or -1
    signal projectRemovalAsked(project: var)
    signal exportAsked(chat: var, asJson: bool)
    signal exportAllAsked()
    signal importAsked()

    function takeFocus(): void {
        if (searching) {
            startSearch()
        } else {
            list.forceActiveFocus(Qt.ShortcutFocusReason)
        }
    }

    function startSearch(): void {
        searchField.forceActiveFocus(Qt.ShortcutFocusReason)
        searchField.selectAll()
    }

    // id: a project whose chats are searched; -1: all are.
    function searchProject(id: var): void {
        app.search.project = id
        startSearch()
    }

    // All chats again; the keyboard stays in the field.
    function leaveProject(): void {
        searchProject(-1)
    }

    function renameCurrent(): void {
        searchField.clear()
        app.projects.rows.reveal(app.chats.currentId)
        list.currentIndex = app.projects.rows.rowOf(app.chats.currentId)
        if (list.currentItem !== null) {
            list.positionViewAtIndex(list.currentIndex, ListView.Contain)
            list.currentItem.startRename()
        }
    }

    // A chat out of view is shown in the list one frame later: to create the rows around it takes as long as
    // its messages.
    Timer {
        id: following

        interval: 16
        onTriggered: list.showCurrent()
    }

    Connections {
        target: sidebar.app.chats

        function onCurrentChanged(): void {
            list.forceLayout()  // the chat may be a row since this turn
            if (list.itemAtIndex(sidebar.app.projects.rows.rowOf(sidebar.app.chats.currentId)) !== null) {
                following.stop()
                list.showCurrent()
            } else {
                following.restart()
            }
        }
    }

    Rectangle {
        anchors.fill: parent
        color: Theme.sidebar
    }

    Rectangle {
        anchors.right: parent.right
        width: 1
        height: parent.height
        color: Theme.border
    }

    Item {
        id: head

        width: parent.width
        height: 56

        Logo {
            id: logo

            anchors.left: parent.left
            anchors.leftMargin: Theme.large
            anchors.verticalCenter: parent.verticalCenter
        }

        Text {
            anchors.left: logo.right
            anchors.leftMargin: Theme.small
            anchors.verticalCenter: parent.verticalCenter
            text: qsTr("Hearth")
            textFormat: Text.PlainText
            font.family: Theme.sans
            font.pixelSize: Theme.headingSize(3)
            font.weight: Font.DemiBold
            color: Theme.text
        }

        IconButton {
            anchors.right: parent.right
            anchors.rightMargin: Theme.small + 2
            anchors.verticalCenter: parent.verticalCenter
            iconName: "panel"
            text: qsTr("Hide the list of chats")
            hint: qsTr("Ctrl+B")
            onClicked: sidebar.hidden()
        }
    }

    AppButton {
        id: newButton

        objectName: "newConversation"
        anchors.top: head.bottom
        anchors.left: parent.left
        anchors.right: projectButton.left
        anchors.leftMargin: Theme.medium
        anchors.rightMargin: Theme.tiny
        height: 38
        iconName: "plus"
        text: qsTr("New chat")
        Accessible.description: qsTr("Ctrl+N")
        onClicked: {
            sidebar.app.chats.newConversation()
            sidebar.chosen()
        }
    }

    IconButton {
        id: projectButton

        objectName: "newProject"
        anchors.right: parent.right
        anchors.rightMargin: Theme.medium
        anchors.verticalCenter: newButton.verticalCenter
        side: 38
        iconName: "folderPlus"
        text: qsTr("New project")
        enabled: !sidebar.app.chats.readOnly
        onClicked: sidebar.projectAsked(-1, -1)
    }

    AppTextField {
        id: searchField

        objectName: "searchChats"
        anchors.top: newButton.bottom
        anchors.topMargin: Theme.small
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.leftMargin: Theme.medium
        anchors.rightMargin: Theme.medium
        name: sidebar.searchedProject === "" ? qsTr("Search all chats")
            : qsTr("Search the chats of %1").arg(sidebar.searchedProject)
        iconName: "search"
        placeholderText: name
        rightPadding: allButton.visible ? allButton.width + Theme.small : Theme.medium
        maximumLength: 1000
        onTextChanged: sidebar.app.search.query = text

        Keys.onDownPressed: sidebar.searching ? found.takeFocus() : list.forceActiveFocus(Qt.TabFocusReason)
        Keys.onReturnPressed: found.openFirst()
        Keys.onEnterPressed: found.openFirst()
        Keys.onEscapePressed: {
            if (text !== "") {
                clear()
            } else if (sidebar.searchedProject !== "") {
                sidebar.leaveProject()
            } else {
                sidebar.searchLeft()
            }
        }
    }

    IconButton {
        id: allButton

        objectName: "searchAllChats"
        anchors.right: searchField.right
        anchors.rightMargin: Theme.tiny
        anchors.verticalCenter: searchField.verticalCenter
        side: searchField.height - 2 * Theme.tiny
        visible: sidebar.searchedProject !== ""
        iconName: "close"
        text: qsTr("Search all chats again")
        onClicked: sidebar.leaveProject()
    }

    SearchHits {
        id: found

        anchors.fill: list
        visible: sidebar.searching
        search: sidebar.app.search
        onOpened: (conversationId, messageId) => {
            sidebar.foundChosen()
            sidebar.app.chats.showMessage(conversationId, messageId)
        }
        onLeftUpwards: sidebar.startSearch()
        Keys.onEscapePressed: {
            searchField.clear()
            sidebar.startSearch()
        }
    }

    ListView {
        id: list

        objectName: "conversationList"
        anchors.top: searchField.bottom
        anchors.topMargin: Theme.small
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.bottom: undo.visible ? undo.top : foot.top
        anchors.leftMargin: Theme.medium
        anchors.rightMargin: Theme.medium
        anchors.bottomMargin: Theme.small
        clip: true
        focus: true
        visible: !sidebar.searching
        boundsBehavior: Flickable.StopAtBounds
        highlightFollowsCurrentItem: false
        keyNavigationEnabled: true
        model: sidebar.app.projects.rows
        // Beside the rows, not over their buttons.
        Basic.ScrollBar.vertical: AppScrollBar {
            parent: sidebar
            anchors.top: list.top
            anchors.bottom: list.bottom
            anchors.left: list.right
        }

        Accessible.role: Accessible.List
        Accessible.name: qsTr("Chats")

        onCurrentIndexChanged: positionViewAtIndex(currentIndex, ListView.Contain)

        function showCurrent(): void {
            const row = sidebar.app.projects.rows.rowOf(sidebar.app.chats.currentId)
            if (row >= 0) {
                currentIndex = row
                positionViewAtIndex(row, ListView.Contain)
            }
        }

        section.property: "section"
        section.delegate: Item {
            id: dateHead

            required property string section

            objectName: "chatSection"
            width: ListView.view.width
            height: section === "" ? 0 : words.implicitHeight
            visible: section !== ""

            Accessible.role: Accessible.Heading
            Accessible.name: section

            Text {
                id: words

                width: parent.width
                leftPadding: Theme.medium
                topPadding: Theme.small
                bottomPadding: 2
                text: dateHead.section
                textFormat: Text.PlainText
                elide: Text.ElideRight
                font.family: Theme.sans
                font.pixelSize: Theme.fontTiny
                font.weight: Font.DemiBold
                color: Theme.textMuted
                Accessible.ignored: true
            }
        }

        delegate: ConversationDelegate {
            width: ListView.view.width
            chats: sidebar.app.chats
            projects: sidebar.app.projects
            onMenuAsked: from => {
                ListView.view.currentIndex = index
                if (isProject) {
                    projectMenu.show(projectId, from)
                } else {
                    chatMenu.show(conversationId, pinned, from)
                }
            }
            onProjectRemovalAsked: sidebar.projectRemovalAsked(projectId)
            onOpened: {
                ListView.view.currentIndex = index
                sidebar.app.chats.select(conversationId)
                sidebar.chosen()
            }
        }

        Text {
            visible: list.count === 0
            x: Theme.small
            width: parent.width - 2 * Theme.small
            text: qsTr("Your chats will be kept here.")
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.textMuted
        }
    }

    ChatMenu {
        id: chatMenu

        objectName: "chatMenu"
        chats: sidebar.app.chats
        onRenameAsked: {
            const row = list.currentItem as ConversationDelegate
            if (row !== null) {
                row.startRename()
            }
        }
        onInstructionsAsked: chat => sidebar.instructionsAsked(chat)
        onMoveAsked: (chat, from) => moveMenu.show(chat, from)
        onExportAsked: (chat, asJson) => sidebar.exportAsked(chat, asJson)
    }

    MoveMenu {
        id: moveMenu

        objectName: "moveMenu"
        chats: sidebar.app.chats
        projects: sidebar.app.projects
        onProjectAsked: chat => sidebar.projectAsked(-1, chat)
    }

    ProjectMenu {
        id: projectMenu

        objectName: "projectMenu"
        readOnly: sidebar.app.chats.readOnly
        onNewChatAsked: project => {
            sidebar.app.chats.newConversationIn(project)
            sidebar.chosen()
        }
        onSearchAsked: project => sidebar.searchProject(project)
        onSettingsAsked: project => sidebar.projectAsked(project, -1)
        onRenameAsked: {
            const row = list.currentItem as ConversationDelegate
            if (row !== null) {
                row.startRename()
            }
        }
        onRemovalAsked: project => sidebar.projectRemovalAsked(project)
    }

    Rectangle {
        id: undo

        objectName: "undoBar"
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.bottom: foot.top
        anchors.leftMargin: Theme.medium
        anchors.rightMargin: Theme.medium
        visible: sidebar.app.chats.undoOffered
        height: Math.max(44, undoLabel.implicitHeight + 2 * Theme.small)
        radius: Theme.radius
        color: Theme.text

        Accessible.role: Accessible.AlertMessage
        Accessible.name: sidebar.app.chats.undoText

        FadeIn {
            item: undo
        }

        Text {
            id: undoLabel

            objectName: "undoLabel"
            anchors.left: parent.left
            anchors.right: undoButton.left
            anchors.leftMargin: Theme.medium
            anchors.verticalCenter: parent.verticalCenter
            text: sidebar.app.chats.undoText
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            maximumLineCount: 3
            elide: Text.ElideRight
            font.family: Theme.sans
            font.pixelSize: Theme.fontTiny
            color: Theme.window
            Accessible.ignored: true
        }

        AppButton {
            id: undoButton

            objectName: "undoDelete"
            anchors.right: closeUndo.left
            anchors.verticalCenter: parent.verticalCenter
            kind: "onInk"
            text: qsTr("Undo")
            Accessible.name: qsTr("Undo the deletion")
            onClicked: sidebar.app.chats.undoDelete()
        }

        IconButton {
            id: closeUndo

            anchors.right: parent.right
            anchors.rightMargin: 6
            anchors.verticalCenter: parent.verticalCenter
            side: 26
            iconSize: 14
            iconName: "close"
            ink: Theme.window
            text: qsTr("Dismiss")
            onClicked: sidebar.app.chats.dismissUndo()
        }
    }

    Item {
        id: foot

        anchors.bottom: parent.bottom
        width: parent.width
        height: 52

        IconButton {
            id: menuButton

            objectName: "settingsButton"
            anchors.left: parent.left
            anchors.leftMargin: Theme.medium - 2
            anchors.verticalCenter: parent.verticalCenter
            side: 34
            iconName: "sliders"
            text: qsTr("Settings and help")
            menuOpen: menu.visible
            onClicked: menu.popup(menuButton, 0, -menu.implicitHeight - 4)
        }

        // Shown while there are downloads.
        AppButton {
            objectName: "downloadsButton"
            anchors.right: parent.right
            anchors.rightMargin: Theme.medium
            anchors.verticalCenter: parent.verticalCenter
            visible: sidebar.app.downloads.list.count > 0
            kind: "quiet"
            iconName: "download"
            text: sidebar.app.downloads.summary === "" ? qsTr("Downloads")
                : sidebar.app.downloads.summary
            Accessible.description: qsTr("Ctrl+J")
            onClicked: sidebar.downloadsAsked()
        }

        SettingsMenu {
            id: menu

            objectName: "settingsMenu"
            appearance: sidebar.app.appearance
            chats: sidebar.app.chats
            // Called once the menu is closed and has given the keyboard back.
            onDownloadsAsked: Qt.callLater(sidebar.downloadsAsked)  // qmllint disable
            onNetworkAsked: Qt.callLater(sidebar.networkAsked)  // qmllint disable
            onToolsAsked: Qt.callLater(sidebar.toolsAsked)  // qmllint disable
            onShortcutsAsked: Qt.callLater(sidebar.shortcutsAsked)  // qmllint disable
            onAboutAsked: Qt.callLater(sidebar.aboutAsked)  // qmllint disable
            onImportAsked: Qt.callLater(sidebar.importAsked)  // qmllint disable
            onExportAllAsked: Qt.callLater(sidebar.exportAllAsked)  // qmllint disable
            onSettingsAsked: Qt.callLater(sidebar.settingsAsked)  // qmllint disable
            onClosed: menuButton.forceActiveFocus()
        }
    }
}
