import QtQuick
import Hearth

// The dialogs over the window. All but the small ones are created on first use.
Item {
    id: dialogs

    required property AppController app
    property string lastAttached  // the next file often lies beside it

    function openModel(): void {
        pickerLoader.active = true
        const dialog = pickerLoader.item as FilePicker
        dialog.ask(app.model.path)
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
            onOffersAsked: dialogs.showOffers()
            onPackingAsked: dialogs.showPacking()
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
