import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The window: conversations on the left, the shown one beside them. Below Theme.narrowBelow pixels the list
// lies over the chat and is called up.
Basic.ApplicationWindow {
    id: window

    required property AppController app

    readonly property bool narrow: width < Theme.narrowBelow
    readonly property bool listWanted: app.place.listShown  // in a wide window
    property bool listCalled: false  // in a narrow one
    property string page: "chat"     // or "settings"
    property bool mapShown: false
    readonly property bool listShown: narrow ? listCalled : listWanted

    // The size at the first start, where the screen is large enough. place.open() shows the window.
    width: 1080
    height: 760
    minimumWidth: 420
    minimumHeight: 360
    color: Theme.window
    title: app.chats.currentTitle === "" ? qsTr("Hearth")
        : qsTr("%1 — Hearth").arg(app.chats.currentTitle)
    font.family: Theme.sans
    LayoutMirroring.enabled: Theme.mirrored
    LayoutMirroring.childrenInherit: true

    function colourFrame(): void {
        app.appearance.colourFrame(window, Theme.sidebar, Theme.text, Theme.textMuted)
    }

    function showPage(name: string): void {
        if (page === name) {
            return
        }
        if (page === "settings") {
            (settings.item as SettingsView).takeFocus()  // typed text is kept
        }
        page = name
        listCalled = false
        if (name === "settings") {
            (settings.item as SettingsView).takeFocus()
        } else {
            composer.takeFocus()
        }
    }

    function showServing(): void {
        showPage("settings")
        app.settings.rows.search = ""
        app.settings.rows.section = "api"
    }

    function toggleList(): void {
        showPage("chat")
        if (narrow) {
            listCalled = !listCalled
        } else {
            app.place.listShown = !listWanted
        }
        if (listShown) {
            sidebar.takeFocus()
        } else {
            composer.takeFocus()
        }
    }

    function toggleMap(): void {
        showPage("chat")
        listCalled = false
        mapShown = !mapShown
        if (mapShown) {
            (mapPanel.item as NeuronMapPanel).takeFocus()
        } else {
            composer.takeFocus()
        }
    }

    function step(rows: int): void {
        showPage("chat")
        app.chats.select(app.projects.rows.chatBeside(app.chats.currentId, rows))  // qmllint disable
    }

    function newChat(): void {
        showPage("chat")
        app.chats.newConversation()
        listCalled = false
        composer.takeFocus()
    }

    function regenerateLast(): void {
        if (app.chats.messages.count > 0 && !app.replies.answeringHere
                && !app.chats.readOnly) {
            chat.regenerateLast()
        }
    }

    onNarrowChanged: {
        listCalled = false
        // A list that is hidden cannot have the keyboard, and may have lost it already.
        const shown = narrow ? listCalled : listWanted
        if (!shown && page === "chat" && stage.activeFocus && !main.activeFocus) {
            composer.takeFocus()
        }
    }
    Component.onCompleted: {
        colourFrame()
        app.place.open(window)
        composer.takeFocus()
    }

    Connections {
        target: window.app.language
        function onCodeChanged() {
            Qt.uiLanguage = window.app.language.code  // what QML translates is translated anew
        }
    }
    Connections {
        target: Theme
        function onDarkChanged() {
            window.colourFrame()
        }
    }
    Binding {
        target: Theme
        property: "dark"
        value: window.app.appearance.dark
    }
    Binding {
        target: Theme
        property: "zoom"
        value: window.app.appearance.zoom
    }
    Binding {
        target: Theme
        property: "motion"
        value: window.app.appearance.motion
    }
    Binding {
        target: Theme
        property: "sparing"
        value: window.app.appearance.sparing
    }

    Shortcuts {
        app: window.app
        onNewChatAsked: window.newChat()
        onOpenAsked: dialogs.openModel()
        onListAsked: window.toggleList()
        onModelsAsked: dialogs.showModels()
        onMapAsked: window.toggleMap()
        onDownloadsAsked: dialogs.showDownloads()
        onComposerAsked: {
            window.showPage("chat")
            composer.takeFocus()
        }
        onSettingsAsked: window.showPage(window.page === "settings" ? "chat" : "settings")
        onAnotherAnswerAsked: window.regenerateLast()
        onStepAsked: rows => window.step(rows)
        onShortcutsAsked: dialogs.showShortcuts()
        onRenameAsked: {
            window.showPage("chat")  // the list is not on the page of settings
            if (!window.listShown) {
                window.toggleList()
            }
            sidebar.renameCurrent()
        }
        onSearchAsked: {
            window.showPage("chat")
            if (!window.listShown) {
                window.toggleList()
            }
            sidebar.startSearch()
        }
        onInstructionsAsked: dialogs.showInstructions(window.app.chats.currentId)  // qmllint disable
        onQuitAsked: window.close()
    }

    // Text for a screen reader that the reader gets without going there: parts of an answer as they are done.
    Item {
        id: announcer

        objectName: "announcer"
        width: 1
        height: 1
        Accessible.role: Accessible.AlertMessage
        Accessible.name: ""
    }

    DropArea {
        id: drop

        anchors.fill: parent
        // A model is opened; other files go with the next message.
        onEntered: drag => {
            drag.accepted = drag.hasUrls && drag.urls.some(url => /\.gguf$/i.test(url)
                || window.page === "chat" && /^file:/i.test(url))
        }
        onDropped: event => {
            const model = event.urls.find(url => /\.gguf$/i.test(url))
            if (model !== undefined) {
                window.app.model.openFile(model)
            } else {
                window.app.attachments.attachUrls(event.urls)
                composer.takeFocus()
            }
        }
    }

    FocusScope {
        id: stage

        anchors.fill: parent
        focus: true

        // A key, not a Shortcut: the item with the focus may want it first.
        Keys.onEscapePressed: event => {
            if (window.narrow && window.listCalled) {
                window.listCalled = false
                composer.takeFocus()
            } else if (window.app.replies.answeringHere) {
                window.app.replies.stop()
            } else {
                event.accepted = false
            }
        }

        FocusScope {
            id: main

            readonly property real before: sidebar.docked ? sidebar.width : 0

            x: Theme.at(before, width, parent.width)
            width: parent.width - before - (mapPanel.docked ? mapPanel.width : 0)
            height: parent.height
            enabled: !window.listCalled && (!window.mapShown || mapPanel.docked)
            visible: window.page === "chat"
            focus: true

            TitleBar {
                id: bar

                width: parent.width
                app: window.app
                listShown: window.listShown && !window.narrow
                onListAsked: window.toggleList()
                onNewAsked: window.newChat()
                onModelsAsked: dialogs.showModels()
                onRemoteAsked: dialogs.showRemote()
                onMapAsked: window.toggleMap()
                onOpenAsked: dialogs.openModel()
                onServingAsked: window.showServing()
            }

            Banner {
                id: notice

                objectName: "notice"
                anchors.top: bar.bottom
                anchors.topMargin: visible ? Theme.small : 0
                anchors.horizontalCenter: parent.horizontalCenter
                width: composer.width
                height: visible ? implicitHeight : 0
                // The strip over the composer shows the model's own failure.
                visible: window.app.notices.text !== "" && !(window.app.model.state === "failed"
                    && window.app.notices.text === window.app.model.errorText)
                kind: window.app.notices.kind
                text: window.app.notices.text
                actionText: window.app.notices.action === "openModel" ? qsTr("Open a model…")
                    : window.app.notices.action === "reloadModel" ? qsTr("Load it again")
                    : window.app.notices.action === "showCrash" ? qsTr("Show")
                    : window.app.notices.action.startsWith("useModel:") ? qsTr("Use it") : ""
                otherText: window.app.notices.action === "showCrash" ? qsTr("Delete") : ""
                onActed: {
                    if (window.app.notices.action === "openModel") {
                        dialogs.openModel()
                    } else if (window.app.notices.action === "showCrash") {
                        window.app.notices.dismiss()
                        dialogs.showCrash()
                    } else if (window.app.notices.action.startsWith("useModel:")) {
                        const path = window.app.notices.action.slice("useModel:".length)
                        window.app.notices.dismiss()
                        window.app.model.openPath(path)
                    } else {
                        window.app.model.reload()
                    }
                }
                onOtherActed: {
                    window.app.crashes.remove()
                    composer.takeFocus()
                }
                onClosed: {
                    window.app.notices.dismiss()
                    composer.takeFocus()
                }
            }

            Item {
                id: middle

                anchors.top: notice.bottom
                anchors.left: parent.left
                anchors.right: parent.right
                anchors.bottom: question.top
                anchors.bottomMargin: question.visible || sending.visible ? Theme.small : 0

                ChatView {
                    id: chat

                    objectName: "chat"
                    anchors.fill: parent
                    app: window.app
                    files: window.app.attachments
                    visible: window.app.chats.messages.count > 0
                    onAnnounce: text => announcer.Accessible.name = text
                    onWholeText: (text, size) => dialogs.showText(text, size)
                    onFinishedEditing: composer.takeFocus()
                }

                EmptyState {
                    objectName: "emptyState"
                    anchors.fill: parent
                    replies: window.app.replies
                    visible: window.app.chats.messages.count === 0
                    onAsked: text => {
                        composer.takeFocus()
                        window.app.replies.send(text)
                    }
                }
            }

            ToolQuestion {
                id: question

                objectName: "toolCard"
                anchors.bottom: sending.top
                anchors.bottomMargin: visible ? Theme.small : 0
                anchors.horizontalCenter: parent.horizontalCenter
                width: composer.width
                rounds: window.app.rounds
                onAnswered: composer.takeFocus()
            }

            SendQuestion {
                id: sending

                objectName: "sendCard"
                anchors.bottom: strip.top
                anchors.bottomMargin: visible ? Theme.small : 0
                anchors.horizontalCenter: parent.horizontalCenter
                width: composer.width
                consent: window.app.consent
                forThisChat: window.app.replies.answeringHere
                onAnswered: composer.takeFocus()
            }

            ModelStrip {
                id: strip

                objectName: "modelStrip"
                anchors.bottom: others.top
                anchors.horizontalCenter: parent.horizontalCenter
                width: composer.width
                height: implicitHeight
                model: window.app.model
                needed: !window.app.chats.readOnly
                onOpenAsked: dialogs.openModel()
            }

            ServingStrip {
                id: others

                objectName: "servingStrip"
                anchors.bottom: composer.top
                anchors.horizontalCenter: parent.horizontalCenter
                width: composer.width
                height: implicitHeight
                serving: window.app.serving
            }

            Composer {
                id: composer

                objectName: "composer"
                anchors.bottom: parent.bottom
                anchors.bottomMargin: Theme.small
                anchors.horizontalCenter: parent.horizontalCenter
                width: Math.min(Theme.bodyWidth, parent.width - 2 * Theme.large)
                app: window.app
                files: window.app.attachments
                focus: true
                onLookedAt: (text, size) => dialogs.showText(text, size)
                onToolsAsked: dialogs.showTools()
                onFileAsked: dialogs.attachFile()
            }
        }

        // Beside the chat where both have room, else over it.
        Loader {
            id: mapPanel

            readonly property real room: parent.width - main.before
            readonly property bool docked: active && room >= 800

            anchors.right: parent.right
            width: room >= 800 ? Math.min(Math.round(400 * Theme.zoom), room / 2) : room
            height: parent.height
            active: window.mapShown
            visible: window.page === "chat"
            enabled: !window.listCalled
            sourceComponent: NeuronMapPanel {
                objectName: "neuronMap"
                map: window.app.map
                onClosed: window.toggleMap()
            }
        }

        Rectangle {
            anchors.fill: parent
            visible: window.narrow && window.listCalled
            color: Theme.scrim

            TapHandler {
                onTapped: window.listCalled = false
            }
        }

        ConversationSidebar {
            id: sidebar

            readonly property bool docked: !window.narrow && window.listWanted

            objectName: "sidebar"
            // Over the chat the list slides in; beside it, every step would lay out the messages anew.
            onVisibleChanged: {
                if (visible && window.narrow) {
                    slide.restart()
                } else {
                    slide.complete()
                }
            }

            property real away  // outside of the window

            x: Theme.at(-away, width, window.width)

            NumberAnimation on away {
                id: slide

                running: false
                from: sidebar.width
                to: 0
                duration: Theme.quick
                easing.type: Easing.OutQuad
            }

            width: Math.min(272, window.width - 56)
            height: parent.height
            visible: window.listShown && window.page === "chat"
            app: window.app
            onChosen: {
                window.listCalled = false
                composer.takeFocus()
            }
            onFoundChosen: window.listCalled = false
            onSearchLeft: {
                window.listCalled = false
                composer.takeFocus()
            }
            onHidden: window.toggleList()
            onDownloadsAsked: dialogs.showDownloads()
            onNetworkAsked: dialogs.showNetwork()
            onToolsAsked: dialogs.showTools()
            onSettingsAsked: window.showPage("settings")
            onShortcutsAsked: dialogs.showShortcuts()
            onAboutAsked: dialogs.showAbout()
            onInstructionsAsked: chat => dialogs.showInstructions(chat)
            onProjectAsked: (project, chat) => dialogs.showProject(project, chat)
            onProjectRemovalAsked: project => dialogs.askProjectRemoval(project)
            onExportAsked: (chat, asJson) => dialogs.exportChat(chat, asJson)
            onExportAllAsked: dialogs.exportAll()
            onImportAsked: dialogs.importChats()
        }

        // Created when it is opened, deleted when it is left.
        Loader {
            id: settings

            anchors.fill: parent
            active: window.page === "settings"
            sourceComponent: SettingsView {
                objectName: "settingsView"
                app: window.app
                onClosed: window.showPage("chat")
                onRequestsAsked: dialogs.showNetwork()
                onShortcutsAsked: dialogs.showShortcuts()
                onLicencesAsked: dialogs.showLicences()
            }
        }
    }

    Dialogs {
        id: dialogs

        objectName: "dialogs"
        app: window.app
    }
}
