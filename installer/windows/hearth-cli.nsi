; hearth-VERSION-windows-x86_64.exe: hearth-cli, the starter model, licences, an entry in the user's search path, and an
; uninstaller that takes away these files and no others. For one user, without administrator's rights.
; /S asks nothing, /D=FOLDER (last, without quotes) chooses the folder.
;
; A version is written beside the one that is installed, tried, and moved into its place file by file, hearth-cli.exe first:
; docs/decisions/0055 says why. Until that move the old version is whole, and from then on the new one runs. Whatever ends
; the installer, its next run completes the version, and the uninstaller finds all that was placed.
;
; installer/windows/pack.sh runs this: VERSION, PAYLOAD (the folder with the files), FILES (what writes them, made from
; the folder), KILOBYTES, OUTPUT.
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
!include FileFunc.nsh
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
!macro RefuseAtOnce what
    MessageBox MB_OK|MB_ICONSTOP "${what}" /SD IDOK
    SetErrorLevel 2
    Quit
!macroend

; Two at once would write to one folder.
!macro OneAtATime
    System::Call 'kernel32::CreateMutexW(p 0, i 0, w "HearthInstaller") p .r0 ?e'
    Pop $0
    ${If} $0 = 183  ; ERROR_ALREADY_EXISTS
        !insertmacro RefuseAtOnce "Hearth is being installed or removed already. Wait until that has ended and try again."
    ${EndIf}
!macroend

!include files.nsh

Var fresh  ; 1: no version was there
Var step   ; of this installation: "", beside, place, done

Function .onInit
    ${IfNot} ${AtLeastWin8.1}
        !insertmacro RefuseAtOnce "Hearth needs Windows 8.1 or newer."
    ${EndIf}
    !insertmacro OneAtATime
FunctionEnd

Function un.onInit
    !insertmacro OneAtATime
FunctionEnd

; A file that cannot be written ends the section at once. No half of a version stays, and an old one does.
Function .onInstFailed
    SetOutPath "$TEMP"  ; the working folder could not be removed
    ${If} $step != ""
        Call RemoveBeside
        ${If} $step == place
        ${AndIf} $fresh == 1
            !insertmacro RemoveListed "" "$INSTDIR" "${OWN_LIST}"
        ${EndIf}
        RMDir "$INSTDIR"
    ${EndIf}
FunctionEnd

Section "Hearth" SectionHearth
    SectionIn RO
    InitPluginsDir
    File "/oname=${OWN_LIST}" "${PAYLOAD}/${LIST_IN_PAYLOAD}"
    StrCpy $fresh 1
    ${If} ${FileExists} "$INSTDIR\uninstall-hearth.exe"
    ${OrIf} ${FileExists} "$INSTDIR\${LIST}"
        StrCpy $fresh 0
    ${EndIf}
    Call RemoveBeside  ; what a killed installation left

    StrCpy $step beside
    ClearErrors
    SetOutPath "$INSTDIR\${BESIDE}"
    File "/oname=files.txt" "${PAYLOAD}/${LIST_IN_PAYLOAD}"  ; first: so all that is there is known
    !insertmacro InstallFiles "$INSTDIR\${BESIDE}"
    SetOutPath "$TEMP"
    WriteUninstaller "$INSTDIR\${BESIDE}\uninstall-hearth.exe"
    ${If} ${Errors}
        !insertmacro Refuse "The files cannot be written to $INSTDIR. Choose another folder, or make room on the disk."
    ${EndIf}
    ${For} $1 1 3  ; a virus scanner may look at it first
        nsExec::Exec /TIMEOUT=60000 '"$INSTDIR\${BESIDE}\bin\hearth-cli.exe" --version'
        Pop $0
        ${If} $0 == 0
            ${ExitFor}
        ${EndIf}
        Sleep 2000
    ${Next}
    ${If} $0 != 0
        !insertmacro Refuse "The hearth-cli of this version does not run here, so nothing was changed. Does a virus scanner hold it back? Or fetch the installer again."
    ${EndIf}
    Call CheckPlaces
    Call RememberOlder

    StrCpy $step place
    StrCpy $1 "${LIST}"
    Call Place
    StrCpy $1 "bin\hearth-cli.exe"
    Call Place  ; from here on it is the new version
    Call PlaceRest
    Call RemoveOlder
    Call RemoveBeside
    StrCpy $step done

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
    StrCpy $2 "$INSTDIR\bin\hearth-cli.exe"
    ${If} ${FileExists} $2
        !insertmacro TryFor10Seconds
        ${If} $0 == 0
            !insertmacro Refuse "hearth-cli is running. Close it and try again."
        ${EndIf}
    ${EndIf}
    ExecWait '"$INSTDIR\share\hearth\path-entry.exe" remove "$INSTDIR\bin"'
    InitPluginsDir
    File "/oname=${OWN_LIST}" "${PAYLOAD}/${LIST_IN_PAYLOAD}"
    Call un.RemoveBeside
    !insertmacro RemoveListed un. "$INSTDIR" "$INSTDIR\${OLDER_LIST}"
    !insertmacro RemoveListed un. "$INSTDIR" "$INSTDIR\${LIST}"
    !insertmacro RemoveListed un. "$INSTDIR" "${OWN_LIST}"
    RMDir "$INSTDIR"  ; only if it is empty
    DeleteRegKey HKCU "${KEY}"
    DeleteRegKey HKCU "Software\Hearth"
SectionEnd
