import QtQuick
import Hearth

// The dialogs over the window. All but the small ones are created on first use.
Item {
    id: dialogs

    required property AppController app
    property string lastAttached  // the next file often lies beside it

    property var exported: -1  // the chat to export; -1: all
    property bool exportedAsJson: false
    property string lastFolder  // of an export or an import

    function openModel(): void {
        pickerLoader.active = true
        const dialog = pickerLoader.item as FilePicker
        dialog.ask(app.model.host === "" ? app.model.path : "")
    }

    function attachFile(): void {
        filePickerLoader.active = true
        const dialog = filePickerLoader.item as FilePicker
        dialog.ask(lastAttached)
    }

    function showText(text: string, size: string): void {
        longTextLoader.active = true
        const dialog = longTextLoader.item as LongTextDialog
        dialog.show(text, size)
    }

    // Chats are exported to a folder; asJson counts for a single chat.
    function exportChat(chat: var, asJson: bool): void {
        exportLoader.active = true
        const dialog = exportLoader.item as FilePicker
        dialogs.exported = chat
        dialogs.exportedAsJson = asJson
        dialog.ask(dialogs.lastFolder)
    }

    function exportAll(): void {
        exportChat(-1, true)
    }

    function importChats(): void {
        importLoader.active = true
        const dialog = importLoader.item as FilePicker
        dialog.ask(dialogs.lastFolder)
    }

    function showInstructions(chat: var): void {
        instructionsLoader.active = true
        const dialog = instructionsLoader.item as InstructionsDialog
        dialog.ask(chat)
    }

    // project -1: a new one, into which the chat goes (-1: none).
    function showProject(project: var, movedChat: var): void {
        projectLoader.active = true
        const dialog = projectLoader.item as ProjectDialog
        dialog.ask(project, movedChat)
    }

    function askProjectRemoval(project: var): void {
        projectRemovalLoader.active = true
        const dialog = projectRemovalLoader.item as ProjectRemoval
        dialog.ask(project)
    }

    function showCrash(): void {
        crashLoader.active = true
        const dialog = crashLoader.item as CrashDialog
        dialog.open()
    }

    function showModels(): void {
        modelsLoader.active = true
        const dialog = modelsLoader.item as ModelsDialog
        dialog.open()
    }

    function showRemote(): void {
        remoteLoader.active = true
        const dialog = remoteLoader.item as RemoteDialog
        dialog.open()
    }

    function showOffers(): void {
        offersLoader.active = true
        const dialog = offersLoader.item as OffersDialog
        dialog.open()
    }

    function showPacking(): void {
        packingLoader.active = true
        const dialog = packingLoader.item as PackingDialog
        dialog.open()
    }

    function showDownloads(): void {
        downloadsLoader.active = true
        const dialog = downloadsLoader.item as DownloadsDialog
        dialog.open()
    }

    function showNetwork(): void {
        networkLoader.active = true
        const dialog = networkLoader.item as NetworkDialog
        dialog.open()
    }

    function showTools(): void {
        toolsLoader.active = true
        const dialog = toolsLoader.item as ToolsDialog
        dialog.open()
    }

    function showShortcuts(): void {
        shortcuts.open()
    }

    function showAbout(): void {
        about.open()
    }

    function showLicences(): void {
        licences.read()
    }

    ShortcutsDialog {
        id: shortcuts

        objectName: "shortcutsDialog"
        onAboutAsked: dialogs.showAbout()
    }

    AboutDialog {
        id: about

        objectName: "aboutDialog"
        app: dialogs.app
        onLicencesAsked: dialogs.showLicences()
    }

    Licences {
        id: licences

        onDone: text => dialogs.showText(text, qsTr("Licences"))
    }

    Connections {
        target: dialogs.app.attachments.page

        function onOpened(): void {
            documentLoader.active = true
            const dialog = documentLoader.item as DocumentDialog
            dialog.open()
        }
    }

    Loader {
        id: documentLoader

        active: false
        sourceComponent: DocumentDialog {
            objectName: "documentDialog"
            page: dialogs.app.attachments.page
        }
    }

    Loader {
        id: filePickerLoader

        active: false
        sourceComponent: FilePicker {
            objectName: "filePicker"
            title: qsTr("Attach a file")
            action: qsTr("Attach")
            suffixes: ["*"]
            onChosen: path => {
                dialogs.lastAttached = path
                dialogs.app.attachments.attach([path])
            }
        }
    }

    Loader {
        id: longTextLoader

        active: false
        sourceComponent: LongTextDialog {
            objectName: "longTextDialog"
            app: dialogs.app
        }
    }

    Loader {
        id: exportLoader

        active: false
        sourceComponent: FilePicker {
            objectName: "exportPicker"
            title: dialogs.exported < 0 ? qsTr("Export all chats into a folder")
                : qsTr("Export the chat into a folder")
            suffixes: []
            action: qsTr("Export here")
            onChosen: folder => {
                dialogs.lastFolder = folder
                if (dialogs.exported < 0) {
                    dialogs.app.exchange.exportAll(folder)
                } else {
                    dialogs.app.exchange.exportChat(dialogs.exported, folder, dialogs.exportedAsJson)
                }
            }
        }
    }

    Loader {
        id: importLoader

        active: false
        sourceComponent: FilePicker {
            objectName: "importPicker"
            title: qsTr("Import chats of Hearth, ChatGPT, LM Studio, Jan or GPT4All")
            suffixes: ["json", "jsonl", "zip", "chat"]
            action: qsTr("Import")
            onChosen: path => {
                dialogs.lastFolder = path
                dialogs.app.exchange.importFile(path)
            }
        }
    }

    Loader {
        id: instructionsLoader

        active: false
        sourceComponent: InstructionsDialog {
            objectName: "instructionsDialog"
            chats: dialogs.app.chats
        }
    }

    Loader {
        id: projectLoader

        active: false
        sourceComponent: ProjectDialog {
            id: project

            objectName: "projectDialog"
            projects: dialogs.app.projects
            chats: dialogs.app.chats
            model: dialogs.app.model
            onFolderAsked: {
                projectFolderLoader.active = true
                const picker = projectFolderLoader.item as FilePicker
                picker.ask(project.details.folder ?? "")
            }
            onFileAsked: {
                projectFileLoader.active = true
                const picker = projectFileLoader.item as FilePicker
                picker.ask(dialogs.lastAttached)
            }
        }
    }

    Loader {
        id: projectFolderLoader

        active: false
        sourceComponent: FilePicker {
            objectName: "projectFolderPicker"
            title: qsTr("A folder for this project")
            action: qsTr("Use this folder")
            suffixes: []
            onChosen: path => {
                const dialog = projectLoader.item as ProjectDialog
                dialogs.app.projects.setFolder(dialog.projectId, path)
            }
        }
    }

    Loader {
        id: projectFileLoader

        active: false
        sourceComponent: FilePicker {
            objectName: "projectFilePicker"
            title: qsTr("Add a file to this project")
            action: qsTr("Add")
            suffixes: ["*"]
            onChosen: path => {
                const dialog = projectLoader.item as ProjectDialog
                dialogs.lastAttached = path
                dialogs.app.projects.files.attach(dialog.projectId, [path])
            }
        }
    }

    Loader {
        id: projectRemovalLoader

        active: false
        sourceComponent: ProjectRemoval {
            objectName: "projectRemoval"
            projects: dialogs.app.projects
        }
    }

    Loader {
        id: crashLoader

        active: false
        sourceComponent: CrashDialog {
            objectName: "crashDialog"
            app: dialogs.app
        }
    }

    Loader {
        id: modelsLoader

        active: false
        sourceComponent: ModelsDialog {
            objectName: "modelsDialog"
            library: dialogs.app.library
            model: dialogs.app.model
            packing: dialogs.app.packing
            onOpenAsked: dialogs.openModel()
            onRemoteAsked: dialogs.showRemote()
            onOffersAsked: dialogs.showOffers()
            onPackingAsked: dialogs.showPacking()
        }
    }

    Loader {
        id: remoteLoader

        active: false
        sourceComponent: RemoteDialog {
            objectName: "remoteDialog"
            servers: dialogs.app.remote
            model: dialogs.app.model
        }
    }

    Loader {
        id: packingLoader

        active: false
        sourceComponent: PackingDialog {
            objectName: "packingDialog"
            packing: dialogs.app.packing
            onUsed: path => {
                const models = modelsLoader.item as ModelsDialog
                models.close()
                dialogs.app.model.openPath(path)
            }
        }
    }

    Loader {
        id: offersLoader

        active: false
        sourceComponent: OffersDialog {
            objectName: "offersDialog"
            offers: dialogs.app.offers
            hub: dialogs.app.hub
            onDownloadsAsked: dialogs.showDownloads()
        }
    }

    Loader {
        id: downloadsLoader

        active: false
        sourceComponent: DownloadsDialog {
            objectName: "downloadsDialog"
            downloads: dialogs.app.downloads
            onUsed: path => dialogs.app.model.openPath(path)
        }
    }

    Loader {
        id: networkLoader

        active: false
        sourceComponent: NetworkDialog {
            objectName: "networkDialog"
            network: dialogs.app.network
            tokens: dialogs.app.tokens
        }
    }

    Loader {
        id: toolsLoader

        active: false
        sourceComponent: ToolsDialog {
            objectName: "toolsDialog"
            tools: dialogs.app.tools
            chatTools: dialogs.app.chatTools
            onFolderAsked: {
                toolFolderLoader.active = true
                const picker = toolFolderLoader.item as FilePicker
                picker.ask(dialogs.app.chatTools.folder)
            }
        }
    }

    Loader {
        id: toolFolderLoader

        active: false
        sourceComponent: FilePicker {
            objectName: "toolFolderPicker"
            title: qsTr("A folder for the tools of this chat")
            action: qsTr("Use this folder")
            suffixes: []
            onChosen: path => dialogs.app.chatTools.setFolder(path)
        }
    }

    // Created on first use. Its own on every system: Qt's looks like another program, and has no room in a
    // small window.
    Loader {
        id: pickerLoader

        active: false
        sourceComponent: FilePicker {
            objectName: "modelPicker"
            title: qsTr("Open a model")
            suffixes: ["gguf"]
            onChosen: path => dialogs.app.model.openPath(path)
        }
    }
}
