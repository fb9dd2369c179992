import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The settings, over the whole window: sections on the left, or above in a narrow window, and the rows of one
// section, or of all that a search finds.
FocusScope {
    id: view

    required property var app

    signal closed()
    signal shortcutsAsked()
    signal requestsAsked()
    signal licencesAsked()

    readonly property var rows: app.settings.rows
    readonly property bool narrow: width < Theme.narrowBelow
    readonly property bool searching: rows.search !== ""
    readonly property bool about: !searching && rows.section === "about"
    readonly property bool ofModel: !searching
        && (rows.section === "model" || rows.section === "answers")
    property string choosingFor

    function takeFocus(): void {
        search.forceActiveFocus(Qt.ShortcutFocusReason)
    }

    function chooseFor(key: string, control: string): void {
        choosingFor = key
        const loader = control === "file" ? files : folders
        loader.active = true
        const picker = loader.item as FilePicker
        picker.ask(rows.textOf(key))
    }

    Keys.onEscapePressed: {
        if (view.searching) {
            search.text = ""
        } else {
            view.closed()
        }
    }

    Component.onCompleted: app.settings.setShown(true)
    Component.onDestruction: app.settings.setShown(false)

    Connections {
        target: view.rows

        function onShownChanged(): void {
            flick.contentY = 0
            if (search.text !== view.rows.search) {
                search.text = view.rows.search
            }
        }
    }

    Rectangle {
        anchors.fill: parent
        color: Theme.window
    }

    Item {
        id: head

        width: parent.width
        height: view.narrow ? 104 : 56

        IconButton {
            id: back

            objectName: "closeSettings"
            anchors.left: parent.left
            anchors.leftMargin: Theme.medium
            y: 11
            side: 34
            iconName: "chevronLeft"
            text: qsTr("Back to the chat")
            hint: qsTr("Esc")
            onClicked: view.closed()
        }

        Text {
            anchors.left: back.right
            anchors.leftMargin: Theme.small
            anchors.verticalCenter: back.verticalCenter
            text: qsTr("Settings")
            textFormat: Text.PlainText
            font.family: Theme.sans
            font.pixelSize: Theme.headingSize(3)
            font.weight: Font.DemiBold
            color: Theme.text

            Accessible.role: Accessible.Heading
            Accessible.name: text
        }

        AppTextField {
            id: search

            objectName: "searchSettings"
            anchors.right: parent.right
            anchors.rightMargin: Theme.large
            y: view.narrow ? 60 : 11
            width: view.narrow ? parent.width - 2 * Theme.large : 300
            focus: true
            name: qsTr("Search the settings")
            placeholderText: name
            iconName: "search"
            // While somebody types, rows are not made for each letter; an empty field shows the
            // section at once.
            onTextChanged: text === "" ? rest.triggered() : rest.restart()

            Timer {
                id: rest

                interval: 60
                onTriggered: {
                    stop()
                    view.rows.search = search.text
                }
            }
        }

        Rectangle {
            anchors.bottom: parent.bottom
            width: parent.width
            height: 1
            color: Theme.border
        }
    }

    Flow {
        id: sections

        anchors.top: head.bottom
        anchors.topMargin: Theme.medium
        anchors.left: parent.left
        anchors.leftMargin: Theme.medium
        width: view.narrow ? parent.width - 2 * Theme.medium : Math.round(190 * Math.max(1, Theme.zoom))
        spacing: view.narrow ? Theme.tiny : 2
        Accessible.role: Accessible.PageTabList
        Accessible.name: qsTr("Sections")

        Repeater {
            model: view.app.settings.sections

            delegate: Basic.AbstractButton {
                id: tab

                required property var modelData
                readonly property bool on: !view.searching && view.rows.section === modelData.id

                objectName: "section-" + modelData.id
                width: view.narrow ? implicitWidth : sections.width
                onClicked: view.rows.section = modelData.id
                text: modelData.title
                implicitWidth: label.implicitWidth + 2 * Theme.medium
                implicitHeight: Math.max(Theme.control, label.implicitHeight + 2 * Theme.small)
                focusPolicy: Qt.StrongFocus
                hoverEnabled: true

                Accessible.role: Accessible.PageTab
                Accessible.name: text
                Accessible.selected: on
                Accessible.onPressAction: tab.clicked()
                Keys.onReturnPressed: tab.clicked()

                background: Rectangle {
                    radius: Theme.radius
                    color: tab.on ? Theme.selected : tab.hovered ? Theme.hover : "transparent"

                    FocusRing {
                        shown: tab.visualFocus
                        gap: 0
                    }
                }

                contentItem: Item {
                    Text {
                        id: label

                        x: Theme.medium
                        width: parent.width - 2 * Theme.medium
                        anchors.verticalCenter: parent.verticalCenter
                        text: tab.text
                        textFormat: Text.PlainText
                        elide: Text.ElideRight
                        font.family: Theme.sans
                        font.pixelSize: Theme.fontSmall
                        font.weight: tab.on ? Font.DemiBold : Font.Normal
                        color: Theme.text
                    }
                }
            }
        }
    }

    Flickable {
        id: flick

        objectName: "settingsFlick"
        anchors.left: view.narrow ? parent.left : sections.right
        anchors.right: parent.right
        anchors.top: view.narrow ? sections.bottom : head.bottom
        anchors.topMargin: view.narrow ? Theme.small : 0
        anchors.bottom: parent.bottom
        contentHeight: content.implicitHeight + 2 * Theme.huge
        boundsBehavior: Flickable.StopAtBounds
        clip: true
        Basic.ScrollBar.vertical: AppScrollBar { }

        FollowFocus {
            view: flick
            margin: Theme.huge  // the setting's name stands above it
        }

        Column {
            id: content

            x: Theme.at(Math.max(Theme.large, Math.min(Theme.huge, (flick.width - width) / 2)), width, flick.width)
            y: Theme.large
            width: Math.min(Theme.bodyWidth, flick.width - 2 * Theme.large)
            spacing: Theme.medium

            Banner {
                objectName: "refusal"
                width: parent.width
                visible: view.app.engineChange.refusal !== ""
                kind: "warning"
                text: view.app.engineChange.refusal
                onClosed: view.app.engineChange.dismissRefusal()
            }

            Banner {
                objectName: "changeWaits"
                width: parent.width
                visible: view.app.engineChange.waits
                text: qsTr("An answer is being written. The model is loaded anew when it is done.")
                actionText: qsTr("Load now")
                closable: false
                onActed: view.app.engineChange.applyNow()
            }

            ForecastCard {
                width: parent.width
                visible: !view.searching && view.rows.section === "model"
                    && view.app.model.host === ""
                preview: view.app.settings.preview
                modelName: view.app.model.path === "" ? "" : view.app.model.modelName
                asking: view.app.settings.asking
                onCardsAsked: view.app.settings.tryCards()
            }

            Banner {
                objectName: "settingsNotLocal"
                width: parent.width
                visible: view.ofModel && view.app.model.host !== ""
                kind: "info"
                text: qsTr("%1 runs at %2, so its memory and speed are not this computer's. Settings "
                           + "that do not reach it say so; they hold for models here.")
                    .arg(view.app.model.modelName).arg(view.app.model.host)
                closable: false
            }

            AppSwitch {
                objectName: "forModel"
                width: parent.width
                visible: view.ofModel && view.rows.hasModel
                text: qsTr("Change it for %1 alone").arg(view.app.model.modelName)
                on: view.rows.forModel
                onAsked: on => view.rows.forModel = on
            }

            Repeater {
                model: view.about ? null : view.rows

                delegate: SettingRow {
                    width: content.width
                    rows: view.rows
                    showSection: view.searching
                    onChooseAsked: view.chooseFor(key, control)
                }
            }

            Loader {
                width: parent.width
                active: !view.searching && view.rows.section === "api"
                visible: active
                sourceComponent: ServingCard {
                    objectName: "servingCard"
                    serving: view.app.serving
                    onCopyAsked: text => view.app.copyText(text)
                }
            }

            AppButton {
                objectName: "showRequests"
                visible: !view.searching && view.rows.section === "network"
                iconName: "globe"
                text: qsTr("Show every request")
                onClicked: view.requestsAsked()
            }

            Text {
                objectName: "nothingFound"
                width: parent.width
                visible: view.searching && view.rows.count === 0
                text: qsTr("No setting matches these words.")
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                font.family: Theme.sans
                font.pixelSize: Theme.fontBody
                color: Theme.textMuted

                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }

            Text {
                width: parent.width
                visible: view.about
                text: qsTr("Hearth %1").arg(view.app.version)
                textFormat: Text.PlainText
                font.family: Theme.sans
                font.pixelSize: Theme.headingSize(2)
                font.weight: Font.DemiBold
                color: Theme.text

                Accessible.role: Accessible.Heading
                Accessible.name: text
            }

            AboutText {
                width: parent.width
                visible: view.about
                app: view.app
                onLicencesAsked: view.licencesAsked()
            }

            AppButton {
                visible: view.about
                iconName: "keyboard"
                text: qsTr("Keyboard shortcuts")
                onClicked: view.shortcutsAsked()
            }
        }
    }

    Loader {
        id: files

        active: false
        sourceComponent: FilePicker {
            objectName: "settingFilePicker"
            title: qsTr("Choose a file")
            suffixes: ["*"]
            onChosen: path => view.rows.set(view.choosingFor, path)
        }
    }

    Loader {
        id: folders

        active: false
        sourceComponent: FilePicker {
            objectName: "settingFolderPicker"
            title: qsTr("Choose a folder")
            action: qsTr("Choose this folder")
            suffixes: []
            onChosen: path => {
                if (view.choosingFor === "folders/models") {
                    view.rows.addFolder(view.choosingFor, path)
                } else {
                    view.rows.set(view.choosingFor, path)
                }
            }
        }
    }
}
