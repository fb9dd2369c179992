; hearth-VERSION-windows-x86_64.exe: hearth-cli, the starter model, licences, an entry in the user's search path, and an
; uninstaller that takes away these files and no others. For one user, without administrator's rights.
; /S asks nothing, /D=FOLDER (last, without quotes) chooses the folder.
;
; installer/windows/package.sh runs this: VERSION, PAYLOAD (the folder with the files), FILES (what of them to install
; and to remove, a list that is made from the folder), KILOBYTES, OUTPUT.
Target amd64-unicode  ; the programs are too
Name "Hearth ${VERSION}"
OutFile "${OUTPUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Hearth"
InstallDirRegKey HKCU "Software\Hearth" "Folder"
SetCompressor /SOLID lzma
SetDateSave off      ; two builds, the same bytes
CRCCheck force       ; a damaged download installs nothing
AllowSkipFiles off   ; all files or none is left out
ManifestDPIAware true

!include MUI2.nsh
!include LogicLib.nsh
!include WinVer.nsh
!include "${FILES}"

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Hearth"

!define MUI_ABORTWARNING
!define MUI_COMPONENTSPAGE_NODESC
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

; What: says it where somebody looks, and ends with status 2.
!macro Refuse what
    MessageBox MB_OK|MB_ICONSTOP "${what}" /SD IDOK
    SetErrorLevel 2
    Abort "${what}"
!macroend

Var begun  ; 1: files of this installation may be there

Function .onInit
    StrCpy $begun 0
    ${IfNot} ${AtLeastWin8.1}
        MessageBox MB_OK|MB_ICONSTOP "Hearth needs Windows 8.1 or newer." /SD IDOK
        SetErrorLevel 2
        Quit
    ${EndIf}
FunctionEnd

; A file that cannot be written ends the section at once. No half of a version stays.
Function .onInstFailed
    ${If} $begun == 1
        !insertmacro RemoveFiles
        Delete "$INSTDIR\uninstall-hearth.exe"
        SetOutPath "$TEMP"  ; the working folder could not be removed
        RMDir "$INSTDIR"
    ${EndIf}
FunctionEnd

Section "Hearth" SectionHearth
    SectionIn RO
    ; An older version's own uninstaller knows its files. It waits for nobody: the folder is told.
    ${If} ${FileExists} "$INSTDIR\uninstall-hearth.exe"
        ExecWait '"$INSTDIR\uninstall-hearth.exe" /S _?=$INSTDIR' $0
        ${If} $0 != 0
            !insertmacro Refuse "The version that is installed cannot be removed. Is Hearth running? Close it and try again."
        ${EndIf}
    ${EndIf}
    StrCpy $begun 1
    ClearErrors
    !insertmacro InstallFiles
    WriteUninstaller "$INSTDIR\uninstall-hearth.exe"
    ${If} ${Errors}
        !insertmacro Refuse "The files cannot be written to $INSTDIR. Choose another folder, or make room on the disk."
    ${EndIf}
    WriteRegStr HKCU "Software\Hearth" "Folder" "$INSTDIR"
    WriteRegStr HKCU "${KEY}" "DisplayName" "Hearth"
    WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
    WriteRegStr HKCU "${KEY}" "Publisher" "Hearth"
    WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
    WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall-hearth.exe"'
    WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall-hearth.exe" /S'
    WriteRegDWORD HKCU "${KEY}" "EstimatedSize" ${KILOBYTES}
    WriteRegDWORD HKCU "${KEY}" "NoModify" 1
    WriteRegDWORD HKCU "${KEY}" "NoRepair" 1
SectionEnd

Section "Find hearth-cli in every terminal (PATH)" SectionPath
    ExecWait '"$INSTDIR\share\hearth\path-entry.exe" add "$INSTDIR\bin"' $0
    ${If} $0 != 0
        DetailPrint "The search path could not be changed; hearth-cli is in $INSTDIR\bin."
    ${EndIf}
SectionEnd

Section "Uninstall"
    ; Nobody may write to a program that runs; then nothing is removed.
    ${If} ${FileExists} "$INSTDIR\bin\hearth-cli.exe"
        ClearErrors
        FileOpen $0 "$INSTDIR\bin\hearth-cli.exe" a
        ${If} ${Errors}
            !insertmacro Refuse "hearth-cli is running. Close it and try again."
        ${EndIf}
        FileClose $0
    ${EndIf}
    ExecWait '"$INSTDIR\share\hearth\path-entry.exe" remove "$INSTDIR\bin"'
    !insertmacro RemoveFiles
    Delete "$INSTDIR\uninstall-hearth.exe"
    RMDir "$INSTDIR"  ; only if it is empty
    DeleteRegKey HKCU "${KEY}"
    DeleteRegKey HKCU "Software\Hearth"
SectionEnd
