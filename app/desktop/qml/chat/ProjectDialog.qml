import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A project: its name and its instructions, which are saved by a button, and its model, temperature, files and folder,
// which hold at once. A new project begins with its name.
AppDialog {
    id: dialog

    required property Projects projects
    required property Chats chats
    required property ActiveModel model

    property var projectId: -1
    property var movedChat: -1  // goes into the new project
    property var details: ({})
    readonly property bool isNew: projectId < 0

    signal folderAsked()
    signal fileAsked()

    function ask(project: var, chat: var): void {
        projectId = project
        movedChat = chat
        take()
        nameField.text = isNew ? "" : details.name
        area.text = isNew ? "" : details.instructions
        open()
        nameField.selectAll()
    }

    function take(): void {
        details = projectId < 0 ? {} : projects.details(projectId)
        if (projectId >= 0 && details.name === undefined) {
            close()  // it was deleted
        }
    }

    function make(): void {
        const made = projects.add(nameField.text)
        if (made >= 0) {
            projectId = made
            if (movedChat >= 0) {
                chats.moveTo(movedChat, made)
            }
            take()
            nameField.text = details.name
            area.forceActiveFocus(Qt.TabFocusReason)
        }
    }

    function save(): void {
        projects.rename(projectId, nameField.text)
        if (projects.setInstructions(projectId, area.text.trim())) {
            close()
        }
    }

    title: isNew ? qsTr("New project") : qsTr("Project")
    width: Math.min(600, (parent ? parent.width : 600) - 2 * Theme.large)
    first: nameField

    Connections {
        target: dialog.projects

        function onChanged(): void {
            if (dialog.visible) {
                dialog.take()
            }
        }
    }

    component Line: Text {
        width: parent.width
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.text
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    component Heading: Line {
        font.weight: Font.DemiBold
        Accessible.role: Accessible.Heading
    }
    component Note: Line {
        color: Theme.textMuted
        visible: text !== ""
    }

    AppTextField {
        id: nameField

        objectName: "projectName"
        width: parent.width
        name: qsTr("Name of the project")
        placeholderText: qsTr("Name of the project")
        maximumLength: 100
        Keys.onReturnPressed: dialog.isNew ? dialog.make() : dialog.save()
        Keys.onEnterPressed: dialog.isNew ? dialog.make() : dialog.save()
    }

    Note {
        visible: dialog.isNew
        text: qsTr("Chats of a project share instructions, a model, files and a folder.")
    }

    Heading {
        visible: !dialog.isNew
        text: qsTr("Instructions")
    }
    Note {
        visible: !dialog.isNew
        text: qsTr("The model reads them in every chat of the project, before those of the chat.")
    }
    Rectangle {
        width: parent.width
        height: 96
        visible: !dialog.isNew
        radius: Theme.radius
        color: Theme.surface
        border.width: area.activeFocus ? 2 : 1
        border.color: area.activeFocus ? Theme.focus : Theme.controlBorder

        Basic.ScrollView {
            anchors.fill: parent
            anchors.margins: 2

            Basic.TextArea {
                id: area

                objectName: "projectInstructions"
                textFormat: TextEdit.PlainText
                wrapMode: TextEdit.Wrap
                selectByMouse: true
                background: null
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: Theme.text
                selectionColor: Theme.selection
                selectedTextColor: Theme.text

                Accessible.role: Accessible.EditableText
                Accessible.name: qsTr("Instructions of the project")
                Accessible.multiLine: true

                Keys.onTabPressed: nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
                Keys.onBacktabPressed: nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
                Keys.onEscapePressed: dialog.close()
            }
        }
    }

    Flow {
        width: parent.width
        layoutDirection: Qt.RightToLeft
        spacing: Theme.small

        AppButton {
            objectName: "saveProject"
            kind: "primary"
            enabled: nameField.text.trim() !== ""
            text: dialog.isNew ? qsTr("Make the project") : qsTr("Save")
            onClicked: dialog.isNew ? dialog.make() : dialog.save()
        }
        AppButton {
            objectName: "cancelProject"
            text: qsTr("Cancel")
            onClicked: dialog.close()
        }
    }

    Column {
        width: parent.width
        visible: !dialog.isNew
        spacing: Theme.medium

        Heading {
            text: qsTr("Model")
        }
        Line {
            objectName: "projectModel"
            text: (dialog.details.model ?? "") === "" ? qsTr("The model that is loaded answers.")
                                                      : dialog.details.modelName
            wrapMode: Text.WrapAtWordBoundaryOrAnywhere
        }
        Flow {
            width: parent.width
            spacing: Theme.small

            AppButton {
                objectName: "useLoadedModel"
                visible: dialog.model.path !== "" && dialog.model.path !== dialog.details.model
                text: qsTr("Always use %1").arg(dialog.model.modelName)
                onClicked: dialog.projects.setModel(dialog.projectId, dialog.model.path)
            }
            AppButton {
                objectName: "leaveModel"
                visible: (dialog.details.model ?? "") !== ""
                kind: "quiet"
                text: qsTr("Use the loaded model")
                onClicked: dialog.projects.setModel(dialog.projectId, "")
            }
        }

        AppSwitch {
            objectName: "ownTemperature"
            width: parent.width
            text: qsTr("A temperature of its own")
            on: (dialog.details.temperature ?? -1) >= 0
            onAsked: on => dialog.projects.setTemperature(dialog.projectId, on ? 0.8 : -1)
        }
        Row {
            visible: (dialog.details.temperature ?? -1) >= 0
            spacing: Theme.small

            AppSlider {
                id: temperature

                objectName: "projectTemperature"
                name: qsTr("Temperature of the project")
                from: 0
                to: 2
                stepSize: 0.05
                value: Math.max(0, dialog.details.temperature ?? 0)
                onMoved: dialog.projects.setTemperature(dialog.projectId, Math.round(value * 100) / 100)
            }
            Line {
                width: implicitWidth
                anchors.verticalCenter: parent.verticalCenter
                text: Math.max(0, dialog.details.temperature ?? 0).toFixed(2)
            }
        }

        Heading {
            text: qsTr("Files")
        }
        Note {
            text: qsTr("Short ones go with the first question of a chat. Of long ones the passages go "
                       + "that fit the question.")
        }
        Column {
            width: parent.width
            spacing: Theme.tiny

            Repeater {
                model: {
                    dialog.projects.files.revision
                    Qt.uiLanguage  // the words are of a language
                    return dialog.isNew ? [] : dialog.projects.files.of(dialog.projectId)
                }

                delegate: AttachedFile {
                    required property var modelData

                    objectName: "projectFile"
                    width: parent.width
                    name: modelData.name
                    says: modelData.says
                    failed: modelData.failed
                    ready: modelData.ready
                    removable: true
                    onLooked: dialog.projects.files.look(dialog.projectId, modelData.id)
                    onRemoved: dialog.projects.files.remove(dialog.projectId, modelData.id)
                }
            }
        }
        AppButton {
            objectName: "addProjectFile"
            iconName: "clip"
            text: qsTr("Add a file…")
            onClicked: dialog.fileAsked()
        }

        Heading {
            text: qsTr("Folder")
        }
        Note {
            text: qsTr("Its files are searched for each question, and tools read in it alone. Links "
                       + "in it are not followed.")
        }
        Line {
            objectName: "projectFolder"
            text: (dialog.details.folder ?? "") === "" ? qsTr("No folder.") : dialog.details.folder
            wrapMode: Text.WrapAtWordBoundaryOrAnywhere
        }
        Note {
            objectName: "projectFolderSays"
            text: {
                dialog.projects.files.revision
                dialog.details
                return dialog.isNew ? "" : dialog.projects.files.folderSays(dialog.projectId)
            }
        }
        Flow {
            width: parent.width
            spacing: Theme.small

            AppButton {
                objectName: "chooseProjectFolder"
                iconName: "folder"
                text: qsTr("Choose a folder…")
                onClicked: dialog.folderAsked()
            }
            AppButton {
                objectName: "leaveProjectFolder"
                visible: (dialog.details.folder ?? "") !== ""
                kind: "quiet"
                text: qsTr("None")
                Accessible.name: qsTr("No folder for this project")
                onClicked: dialog.projects.setFolder(dialog.projectId, "")
            }
        }
        AppButton {
            objectName: "askAgainInProject"
            visible: (dialog.details.allowed ?? 0) > 0
            text: qsTr("Ask again for all tools of this project (%1 allowed)").arg(dialog.details.allowed ?? 0)
            onClicked: dialog.projects.askAgain(dialog.projectId)
        }
    }
}
