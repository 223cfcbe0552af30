// The longer text behind a code: `hearth explain CODE`. One paragraph for a technician who has the box in front of
// them.

extension Reason {
  /// Two to five sentences: what the hub saw, what usually causes it, what to look at and in which order. One line, to
  /// be wrapped.
  public var explanation: String {
    switch self {
    case .configUnreadable:
      """
      The file named could not be opened or read. Usually the path is wrong or the user hearth may not read it; ls -l \
      on the file and on \
      each folder above it shows which. hearthd never starts on a guess: without its configuration it leaves with exit \
      status 2.
      """
    case .configSyntax:
      """
      The YAML reader stopped at the line and column named. Tabs for indentation, a missing space after a colon and an \
      unclosed quote are \
      the usual causes, and the mistake may be on the line before. Correct it and run hearth config check until it \
      says that all is well.
      """
    case .configUnknownKey:
      """
      Every key is checked against the list that Hearth knows, so that a misspelt key cannot silently do nothing. The \
      message names file, \
      line and column, and the nearest known key where there is one. config/hearth.yaml has every key with its default.
      """
    case .configBadValue:
      """
      The value cannot be read as what its key needs, or lies outside its limits. Units belong to the value: 45s, 15m, \
      1500MB, 4KB. Words \
      such as yes and on are text, not switches. The message says which kind of value is expected.
      """
    case .configReloadRefused:
      """
      hearthd was asked to reload and the new files do not pass, so it keeps the configuration it had; HUB shows code \
      4 until a reload \
      passes. hearth config check reads the same files and names the line. Note that a restart now would not come up: \
      the files on disk \
      are the wrong ones.
      """
    case .setupFileUnreadable:
      """
      hearth setup was given a file of answers that it could not open, or one of more than 64 KiB. At boot that file \
      is hearth-setup.yaml on the boot partition, which Raspberry Pi OS mounts at /boot/firmware. A whole \
      configuration is another thing: that is hearth.yaml.
      """
    case .setupFileInvalid:
      """
      The file of answers is read strictly: a key that is not one of the six, or a value that its key does not take, \
      refuses all of it. What stands in it is never repeated, as a password may have got there; the line and column \
      are. After a boot the file is called hearth-setup.failed.yaml, so that it is not tried again: correct it, call \
      it hearth-setup.yaml, and start the machine again.
      """
    case .setupUnasked:
      """
      hearth setup asks its questions at a terminal, and there is none, or --no-input forbids asking. A script takes \
      --defaults, which leaves what somebody configured as it is, or --file with answers. --dry-run shows what either \
      would write.
      """
    case .setupOverridden:
      """
      Files of the folder hearth.d are read after hearth.yaml and win. hearth setup writes hearth.yaml alone, so an \
      answer about a key that such a file has would have no effect. Nothing was written, as half of the answers would \
      be worse than none.
      """
    case .setupRefused:
      """
      Before anything is written the changed configuration is checked as hearth config check does it, together with \
      the files beside it. It did not pass, or another key would have changed with it. Usually a board of lights is \
      named that is not there, or the file is laid out in a way that cannot be edited line by line.
      """
    case .setupNotWritten:
      """
      The new configuration is written beside the old one and then takes its name, so the old one is whole whatever \
      happened. Usually hearth setup was not run as root; else the card is full, or its file system was set to \
      read-only after an error, which hearth doctor tells.
      """
    case .setupUserUnknown:
      """
      Who may ask the hub is in a group of this machine, which is by default hearth. The user named is not in \
      /etc/passwd, the group is not in /etc/group, or the tool that joins the two failed. At a first boot the user \
      may not have been made yet: leave who_may_ask out, and add the user later.
      """
    case .setupFileLeft:
      """
      What was wished for is done, but hearth-setup.yaml still stands on the boot partition under its own name, or its \
      result could not be written beside it. The hub remembers that this very file is done and does not take it again. \
      A boot partition that is mounted read-only is the usual cause.
      """
    case .setupNotTaken:
      """
      systemctl could not make hearthd read the configuration that was written. The daemon may have been started by \
      hand, or it failed for a reason of its own, which the journal has. The configuration itself was checked before \
      it was written.
      """
    case .setupDeclined:
      """
      The input ended, an answer did not fit ten times, or the last question was not answered with yes. hearth setup \
      writes after that last question only, so that nothing has changed.
      """

    case .attMalformed:
      """
      The bytes came over a sound link (the radio checks them) but do not form a message of the Attribute Protocol. \
      That is the wearable's \
      software, not interference. The message is dropped and counted; hearth device NAME shows the count.
      """
    case .attTimeout:
      """
      The Bluetooth specification gives a device 30 s to answer a request; after that the link may not be used any \
      more, and the hub \
      closes it. Weak reception rarely causes this, because a weak link is lost before. A wearable that does it again \
      and again hangs: \
      take it off, let it switch itself off, or take its battery out.
      """
    case .attProtocol:
      """
      Answers to requests that were never made mean that hub and wearable disagree on where they are in their \
      conversation. The hub \
      closes the link and starts afresh, which settles it unless the wearable's firmware is at fault. hearth device \
      NAME shows model and \
      firmware, which its maker will ask for.
      """
    case .gattDiscoveryBounded:
      """
      A wearable tells the hub which services and characteristics it has, in rising order of handles. This one \
      repeated itself, went \
      backwards or listed more than any real device does, so the hub stopped listening. The wearable is broken or \
      hostile; it is tried \
      again later, and it cannot hold up anybody else.
      """
    case .gattValueMalformed:
      """
      Measurements begin with flags that say which fields follow; here the fields did not fit. The value was dropped \
      rather than guessed, \
      and counted. Single cases come from firmware bugs at the start of a measurement; a steady stream of them means \
      that the driver and \
      this model do not agree.
      """
    case .valueOdd:
      """
      A value that cannot be, or that the wearable itself calls no measurement, is left out; one with reserved flags, \
      or with bytes behind its last field, is taken. The log has each reason once for a wearable since the hub \
      started; hearth device NAME shows how often it came, and when last. Many of them are ordinary: an oximeter \
      without a finger, a scale on which somebody still moves. Some models send a layout of their own by the numbers \
      of a standard service: if values are missing or wrong, the project needs to know the model.
      """
    case .gattMissing:
      """
      The wearable connected, but lacks something that every device of its kind has, for example the Heart Rate \
      Measurement. It may be \
      another model under the same name, or in a mode for updates. hearth device NAME shows maker, model and firmware \
      as far as they \
      could be read.
      """
    case .notificationFlood:
      """
      Each kind of wearable has a highest rate at which it can have something to say, and none needs other link \
      parameters more than some times a minute; this one passed that several times over. The hub closes such a link, \
      because everybody's data goes through the same radio and the same card. A restart of the wearable usually ends \
      it; one that goes on is faulty or not what it claims to be.
      """
    case .attRefused:
      """
      The wearable understood the request and said no; the log line has its error number. Numbers 0x05, 0x08, 0x0C and \
      0x0F mean that it \
      wants to be paired first, 0x02 and 0x03 that it does not offer this, 0x80 and above are its own. The hub goes on \
      with what it was \
      not refused.
      """
    case .procedureTimeout:
      """
      Every step with a wearable has a bound, so that one of them cannot keep the others waiting. Slow answers usually \
      mean weak \
      reception: hearth devices shows the RSSI, and below -85 dBm nothing works well. Metal lockers and a body between \
      hub and wearable \
      cost 20 dB and more.
      """

    case .slotsFull:
      """
      A Bluetooth controller holds only so many links at once, about seven on a Raspberry Pi, and all of them are in \
      use. Whoever waits longest takes the slot of one that had its time, and that one waits in turn; the event says \
      from when until when it had none. What a wearable only streams is lost meanwhile, what it records comes with \
      its next visit. Spread the wearables over two hubs, or add a USB adapter with more links and name it in \
      radio.adapter.
      """
    case .notHeard:
      """
      To connect, the hub has to hear one more advertisement of the wearable, and none came in time. Chest straps \
      advertise only while \
      they touch wet skin and stop after a minute or so without it. A wearable that is connected to a phone does not \
      advertise at all, \
      and so is invisible to the hub.
      """
    case .wearableMissing:
      """
      The hub remembers when each enrolled wearable was there last, also over its own restarts, and nobody has heard \
      this one for longer than lane.absent_after (25 hours; one hour on a ward), or than was chosen for it alone. It \
      is out of reach, its battery is empty, or it is connected to a phone and does not advertise. It is missing no \
      longer as soon as it is heard. A wearable that left for good is forgotten with: hearth device NAME forget.
      """
    case .linkFound:
      """
      The link to a wearable had ended without the hub's will and is there again. The event says from when \
      until when it was gone. A wearable that only streams measured nothing for the hub in between; one that \
      records keeps it for its next visit. Losses that follow each other within an hour are counted in H2110.
      """
    case .linkUnsteady:
      """
      A wearable whose link is lost and found many times an hour leaves one event an hour: how often, from the \
      first loss to the last return, and how long it was gone altogether. The usual causes are distance, a \
      body or metal in the way, and a battery that runs low. hearth device NAME shows battery and counters.
      """
    case .wearableBack:
      """
      A wearable that was missing (H2140) is heard again. The event says since when it had not been heard. \
      What it recorded meanwhile comes with its next visit, which is soon.
      """
    case .recordUnreadable:
      """
      A record has no possible date, or a count that does not fit. The hub passes over it, stores the others of the \
      same transfer, and keeps the bytes of all of it (series raw). With no possible date the record would come the \
      same way for ever, so the wearable may forget it. With a count that does not fit the wearable keeps all of it.
      """
    case .clockMovedElsewhere:
      """
      Some bands cannot be asked for their time, so the hub sets it with each visit and works out what it must have \
      shown. Records that this does not explain were made while another program, such as an app on a phone, had set \
      the clock, or after it had lost the time. The hub works out from them by how much it was off, stores their \
      values at estimated times, and marks those, and others of the same hours, as not sure.
      """
    case .valuesAhead:
      """
      A value is dated more than two minutes after the moment in which it was fetched, and no other value says that \
      the clock was ahead. It is not stored as a value; its bytes are. The wearable is not told to forget what \
      it has of that kind, so nothing is lost: when the time has come, the value is stored.
      """
    case .batteryLow:
      """
      The last reading was at or below battery.low, 20 % if nobody says otherwise. It is information: nothing is wrong \
      yet, no lamp shows it and no exit code says so. It is over with a reading five points above that; one that is \
      older than a day counts for nothing, as most wearables were charged since. hearth device NAME shows the reading \
      and its age.
      """
    case .syncRunning:
      """
      A wearable has one channel for what it is asked, so one sync of it runs at a time. It may wait for its turn, or \
      go on in another visit where its link was lost, or in another hub where this one was stopped: it is over when \
      each kind of data is through, or when nothing came of it for ten minutes. hearth sync NAME --last shows it, and \
      waits for nothing.
      """
    case .batteryCritical:
      """
      The last reading was at or below battery.critical, 10 % if nobody says otherwise, and the wearable is here. What \
      it records is safe where it is, but some lose their clock with the charge, and a strap says nothing any more. \
      LINK blinks 3 until a reading is five points above that. A reading older than a day, or of a wearable that left, \
      counts for nothing. hearth device NAME shows it and its age.
      """
    case .linkLost:
      """
      The radio heard nothing from the wearable for the supervision time, some seconds. People who walk out of range, \
      a flat battery and \
      Wi-Fi on 2.4 GHz from the same board are the usual causes, in that order. The hub connects again as soon as it \
      hears the wearable.
      """
    case .peerClosed:
      """
      The wearable ended the link in good order. Straps do so when they are taken off, and some do when a phone asks \
      for them. If it \
      happens every few minutes while worn, look at its battery: hearth device NAME.
      """
    case .failedToEstablish:
      """
      The wearable was heard and called, but did not follow to the data channels. That is ordinary at the edge of \
      reception, about one \
      try in ten; the next try mostly works. If most tries end so, the antenna is covered or 2.4 GHz is crowded: move \
      the hub away from \
      metal and from Wi-Fi access points.
      """
    case .linkTaken:
      """
      The hub makes one connection attempt for each wearable at a time, and one link. A try of a stranger, a pairing \
      and a visit share that attempt; this one could not, because the radio still had a link or an attempt to the \
      same address. It is tried again after a second or two, when that one is over.
      """
    case .linkAborted:
      """
      The link ended on the hub's side. Usually it was in the way of something else: it did not become of use in time, \
      somebody else had waited longer for its slot, or its wearable was asked to be forgotten. It may also be that the \
      adapter was switched off or reset; then hearth radio shows which step was tried and when, and has a code of its \
      own.
      """

    case .linkProfileRefused:
      """
      A connection profile says how often the radio of a wearable wakes up. This one refused a profile, or took it and \
      went on as before, \
      usually because the numbers in its firmware break a rule of Bluetooth and its own radio will not have them. The \
      hub remembers it for \
      this firmware and uses the next quicker profile, which costs battery and no data. hearth link NAME shows what \
      was asked, what is in \
      effect and what the wearable says.
      """
    case .visitBusy:
      """
      The wearable answers and says that it cannot serve now: it writes its own memory, talks to a phone, or a \
      training is running. The \
      hub leaves it alone for a minute, or for as long as it asked, and comes again. If it stays busy for hours, look \
      for a phone that \
      holds it.
      """
    case .visitRefused:
      """
      A request that every visit of this family needs was answered with an error. Firmware that differs, a missing \
      pairing or a wearable \
      in a special mode are the usual causes. hearth visits shows the request and the error, hearth device NAME the \
      firmware. Nothing is \
      removed on the wearable, and the hub tries again after some time.
      """
    case .visitBroken:
      """
      An answer had the wrong length, the wrong order or nonsense in it. The hub ends the link, which makes both sides \
      forget where they \
      were, and goes on after reconnecting at the last byte that is safe. Once in a while this is interference that \
      slipped through; again \
      and again it is the wearable's firmware.
      """
    case .visitSilent:
      """
      The link was up and the wearable did not answer in the time its protocol allows. It hangs, or its battery is \
      nearly empty. The hub \
      ends the link, waits a little longer each time, and goes on where it stopped. If it stays, restart the wearable: \
      what it recorded is \
      not touched by that.
      """
    case .itemDefective:
      """
      A file or record was fetched twice and is not sound: it ends too soon, its check sum is wrong, or its version is \
      unknown. Usually the \
      wearable lost power while it wrote. The bytes are in the store as they are, for whoever can read more out of \
      them, and the hub never \
      removes them on the wearable. hearth custody NAME says which item and what is wrong. This stays with the \
      wearable, and with each of its visits, \
      as long as it holds such an item.
      """
    case .eraseIneffective:
      """
      The hub asked the wearable to remove what is safely stored, the wearable said yes, and a look afterwards found \
      everything still \
      there. Some firmware can do this only once after each start. The hub does not ask again for what was kept before \
      the wearable was \
      restarted or has other firmware, and for nothing at all after eight such answers in a row; one that does not \
      tell when it was \
      started is asked again after a day. Nothing is lost, but its memory fills: restart it before it is full.
      """
    case .visitUnsupported:
      """
      The wearable holds something that this version of Hearth cannot fetch or read: a kind of file, a version, or \
      something larger than \
      8 MiB. It stays on the wearable, and everything else is fetched as usual. hearth custody NAME and hearth visits \
      say what it is.
      """
    case .itemLocked:
      """
      A recording is encrypted, and the hub has no key for this wearable or another one than it was recorded with. Its \
      bytes are in the store as they \
      are and it is never removed on the wearable. It is fetched again and read as soon as the hub has another key, \
      which hearth settings NAME set \
      secret asks for; who started the recording knows it. hearth custody NAME says which it is. This stays with the \
      wearable, and with each of its \
      visits, as long as it holds such a recording.
      """
    case .requestUnsupported:
      """
      Somebody asked a wearable for something that it or its kind does not have, or that it said it would not do: a \
      series that it does not stream, a rate that it \
      does not offer, an action that is none of its own. Nothing was changed by that. The particulars say what it has \
      instead.
      """
    case .requestNotDone:
      """
      An action or a question did not come about: the wearable was busy with something else, its link was lost, or its \
      turn did not come in time. The hub \
      visits it again as ever, but does not keep what was asked. What is kept says so in its answer: orders, settings, \
      and recordings that the wearable \
      does not begin now.
      """
    case .driverMissing:
      """
      The registry says which driver has this wearable, and this build has none of that name: usually the hub went \
      back to an older version. It is neither visited nor asked, and everything that it gave stays in the store. With \
      the newer version it goes on where it was.
      """
    case .requestUntimely:
      """
      Some steps are possible from some states alone: an activity that is recorded has to be stopped before another \
      one or a stream can begin, and one that is paused goes on or is stopped. What is not possible is not written to \
      the wearable, because its firmware does not survive all of it. The message says what it does now and what ends \
      that.
      """
    case .secretUseless:
      """
      A secret was ordered for a wearable that keeps nothing, or whose model, as its maker describes it, has no way to \
      encrypt. With a secret the hub has \
      nothing recorded in clear, so that such a model would have recorded nothing at all: the order was refused, and \
      nothing has changed. Of a wearable \
      that was not heard yet nobody knows its model; there the secret is kept, and H2128 says later that nothing is \
      recorded, and why.
      """
    case .notLinked:
      """
      What was asked needs the wearable itself, and it is not heard: it is out of reach, switched off, or linked with \
      somebody else. \
      One that is heard need not be linked, for then the hub makes a visit in which it asks.
      """
    case .recordingNotArmed:
      """
      At the end of each visit the hub reads back what a wearable records and what would begin by itself, and \
      something is missing that \
      was ordered or was running when the visit began. It tried to begin it again and says why that failed: a full \
      memory, a charger, or \
      settings that the firmware does not have. It tries again at each visit, ten minutes from now at the latest.
      """
    case .streamNotBegun:
      """
      A live stream was ordered of a wearable whose driver can begin it, and three times in a row it did not begin, or \
      its status shows it and no value \
      comes. The hub tries again after a pause that doubles, up to ten minutes, and after each visit. A stream that \
      waits for something that passes, \
      such as a session that is being recorded, is no trouble and has no code.
      """
    case .settingNotTaken:
      """
      What was ordered (a feature switched off, a setting of its own such as where it is worn, a switch of its radio, \
      the physical data of \
      its wearer) was written to the wearable, and it says something else when it is read back. Often its firmware has \
      no such setting. Or what \
      the wearable keeps already cannot be read: then nothing is written over it, until somebody has set it up anew \
      with its maker's program. The \
      hub tries again at each visit.
      """
    case .collectionPaused:
      """
      A person paused the wearable (hearth device NAME pause): the hub makes no link to it, visits it not and keeps \
      nothing that it advertises, unless somebody asks for it, such as with hearth sync NAME or hearth measure NAME. \
      It stays enrolled, with its bond and its orders, is never missing, and a coverage shows that time as by_order. \
      It ends at its time, if one was given, or with hearth device NAME resume.
      """
    case .phasesLeftOut:
      """
      Visits that the hub makes by itself bring all that a wearable keeps, or the phases that were chosen: lane.phases \
      for all wearables, hearth settings NAME set phases for one. What is left out is no loss of the hub: a coverage \
      shows it as by_order, and hearth settings NAME shows which phases these are. A person may fetch them at any time \
      with hearth sync NAME PHASE. The event says from when until when it was so.
      """
    case .measurementSkipped:
      """
      The hub was to measure vital signs by itself (hearth settings NAME set measure), and the wearable was away, \
      not on the body, or busy, or the measurement ended with an error. The event says which. It is not made up \
      for: the next one is due at its own time, which hearth settings NAME shows.
      """
    case .measurementEmpty:
      """
      The wearable was told to measure and did, and found no value: bands say 0 where they are not worn, or where the \
      arm moved. Nothing is stored of it. Tighten it, keep still, and order it again.
      """
    case .shareReached:
      """
      No wearable may fill the store alone: each has a share of bytes a day (store.share, a tenth of store.size). What \
      comes beyond it is counted (over_share in hearth device NAME) and not kept; what it keeps itself is fetched the \
      day after. What others measured stays. Only raw streams at their highest rates come near it: look whether it is \
      the one that somebody wears, and forget it if not.
      """
    case .monitoringNotTaken:
      """
      How a wearable measures by itself (whether, how often) was ordered and written to it, and it says something else \
      when it is read back, refuses \
      to be written, or has nothing of the kind. What it does instead is shown. The hub tries again at each visit.
      """

    case .authenticationFailed:
      """
      Pairing or encryption ended with a refusal. Many wearables bond with one partner only and refuse all others \
      until that bond is \
      deleted there: look for a phone or an older hub first. Nothing on the wearable is erased by this. Repeated tries \
      by the hub would \
      not help, so it waits for a person.
      """
    case .bondMade:
      """
      Wearable and hub paired, and the new key is in the store and in the radio. Where a key had been lost \
      (H2207) links are encrypted again from the next one on. Nothing needs to be done.
      """
    case .keyNotGiven:
      """
      Pairing encrypts one link; the key that encrypts the next one is kept only if both sides bond. This wearable \
      was paired and gave none, or none that may be kept, so it would refuse the hub at each later link and after each \
      restart. The hub counts that as a failed pairing, ends the link and tries again after twenty minutes, then less \
      often. Some wearables bond only in their pairing mode, or only while no other bond is in their memory.
      """
    case .keyMissing:
      """
      Hub and wearable once agreed on a key, and what answers at its address has none, or another one. The wearable \
      was reset, bonded with somebody else, or its memory failed; or it is another device. Nothing of it is stored, \
      as a wearable with a key is believed only encrypted; the hub tries the key again at every link. Recordings may \
      still be on it, and a factory reset would erase them: end its bond with the other partner and restart it first. \
      If the code stays: hearth enroll open and hearth enroll accept NAME; it is paired anew, or goes on without \
      encryption where it allows that.
      """
    case .boundElsewhere:
      """
      Bands of this kind serve one user at a time. This one says that it belongs to somebody else: a phone bound \
      it, or another hub did. The hub asks again at each visit, and takes nothing by force. Where nobody knows the \
      other user, a reset in the band's own menu ends the binding; it erases what the band still holds.
      """
    case .bindingNotConfirmed:
      """
      When a band is bound for the first time it may ask on its display whether that is right. Somebody pressed \
      cancel, or nobody answered in time. The hub asks again at each visit.
      """
    case .bindingBatteryLow:
      """
      The band itself refuses to be bound below a charge of its own choice. Nothing else is wrong: the hub asks again \
      at each visit, and binds it when it accepts.
      """
    case .bindingNeedsReset:
      """
      The band says that it must be reset before it accepts anybody. That erases what it holds, so the hub leaves it \
      to a person. Bands do so after they were used by one user and unbound by force.
      """
    case .bindingRefused:
      """
      The band answered that binding or logging in failed, without a reason that this program knows. The hub tries \
      again at each visit.
      """
    case .bindingLeft:
      """
      Forgetting a band ends its binding at the band itself, which needs a link. There was none, so only the hub \
      forgot it. A phone would be refused by the band until it is reset; this hub can enrol it again without that.
      """
    case .pairingRefused:
      """
      The hub pairs only with wearables that somebody enrols at that moment, so that nobody can slip a stranger in \
      under a known address. A wearable that was reset later asks again and is refused. If you know why it asks: \
      hearth enroll open, hold it near, hearth enroll accept NAME. It keeps its name, its data, its orders and its \
      wearers, and only its keys are made anew. For a hub in a place that you trust, enroll.pairing may be always.
      """
    case .pairingUnknown:
      """
      A pairing that needs a person waits 30 s, as long as the wearable itself does. This one was answered already, is \
      over, or never was. \
      Start it anew at the wearable, then look at hearth pair at once.
      """

    case .noSuchBond:
      """
      Bonds are listed with the wearable they belong to and its address. Neither matches: the wearable may never have \
      been paired, or its \
      bond was removed.
      """
    case .bondFileDamaged:
      """
      A file of bonds begins with a mark, the parameters of its lock and a salt, and everything behind is sealed. This \
      file has another \
      beginning, asks for more memory than any hub would, is cut short, or holds what no hub writes. Nothing of it was \
      taken over.
      """
    case .bondPassphraseWrong:
      """
      The key that opens the file is made from the passphrase, and it does not fit. A wrong passphrase and a file that \
      was changed behind its \
      beginning look the same: cryptography cannot tell them apart. Nothing of the file was taken over.
      """
    case .bondPassphraseMissing:
      """
      Whoever has the keys of a bond can pretend to be the hub. So they leave it only in a file that is sealed with a \
      passphrase, which is \
      asked for twice at a terminal, or read from a file with --passphrase-file. An empty passphrase is none.
      """
    case .bondFileUnreadable:
      """
      The named file could not be opened, is too large to be a file of bonds, or is there already and would be written \
      over. The detail says \
      which.
      """

    case .impostorSuspected:
      """
      An address can be copied by anybody. What answered there differs from what this hub knows of its wearable: \
      another serial number, model, name or database. Nothing of it is stored, its link is ended, and the hub tries \
      again, so that the true one is served when it is back. A wearable that was reset, renamed or replaced can look \
      like this too: accepting it anew in an enrolment window (hearth enroll open, hearth enroll accept NAME) makes \
      it known again, with its name and its data.
      """
    case .identityClaimed:
      """
      A device with a changing address says in pairing which address is its own, and nothing proves it. This one gave \
      the address of a wearable that is enrolled here, or that was heard beside it. Its keys were taken out of the \
      radio at once, so neither its bond nor its values can be mistaken for the other's. A wearable that was reset \
      gives its old address with a new key: forget it first, then accept it.
      """
    case .enrolWindowClosed:
      """
      Wearables join only while a window is open, so that a visitor's strap is not taken by accident. hearth enroll \
      open opens one for \
      two minutes; LINK blinks slowly meanwhile. Where enroll.mode is closed (H2311), the configuration has to be \
      changed first.
      """
    case .enrolForbidden:
      """
      With enroll.mode closed nobody joins, whatever is held close. Windows exist with enroll.mode: window (the \
      default of a gym) and with all. Change it with sudo hearth setup, or in hearth.yaml; then sudo systemctl reload \
      hearthd, and hearth enroll open.
      """
    case .enrolTooFar:
      """
      In a window only a wearable that is heard at least as loud as enroll.near_rssi may be accepted, which is how the \
      hub knows the one \
      in your hand from the others in the hall. Hold it within a hand's width of the hub's antenna; hearth enroll list \
      shows its RSSI. \
      Some straps are too quiet for the default of -55 dBm: lower it to -65 for them.
      """
    case .enrolNotHeard:
      """
      Letters are given to candidates as they are heard while the window is open, and are forgotten when it closes. \
      Straps sleep until \
      their electrodes are wet, and a wearable connected to a phone cannot be heard. Wake it, then look at hearth \
      enroll list.
      """
    case .enrolNameTaken:
      """
      Names are how people speak about wearables, so each is given once. hearth devices lists them, also those of \
      wearables that have \
      not been seen for months.
      """
    case .enrolNameInvalid:
      """
      Names appear in commands, file names and log lines, so they are kept plain. Letters, digits, '-', '_' and '.' \
      are allowed, at most \
      32 of them. What a wearable calls itself is cleaned before it is proposed.
      """
    case .registryFull:
      """
      The list of wearables has an upper bound, so that its memory and start-up time stay known. In mode all who \
      joined by itself and never brought a value makes room for somebody new; H2306 is shown when there is nobody of \
      that kind left. Forget what nobody uses any more, and set enroll.mode to window where passers-by are taken.
      """
    case .noSuchWearable:
      """
      The name or address is not in the registry of this hub. Names are compared as written by people, addresses as \
      AA:BB:CC:DD:EE:FF. \
      A wearable that was only heard and never enrolled has no name here: hearth enroll list.
      """
    case .enrolNotRecognised:
      """
      The hub hears the wearable, but none of its drivers knows the services it advertises. It never connects to what \
      it does not \
      recognise. A heart-rate strap must advertise the Heart Rate service, 0x180D; some do so only in their open mode, \
      set in the \
      maker's app.
      """

    case .driverChanged:
      """
      The wearable was enrolled under the driver of a standard service, because its own driver was not known then or \
      because it had not said yet \
      what it is. Over a link it gave the name and showed the services of a family that the hub knows. From its next \
      link on that family's \
      driver has it. Its name, its data, its orders and its wearers stay as they are.
      """
    case .enrolmentEvicted:
      """
      With enroll.mode all what behaves like a wearable may join, and the list has an end. Who joined by \
      itself and brought no value since gives its place to somebody new, the oldest first; who ever brought one, or \
      was accepted by a person, never does. It may join again when it is heard again. In a place with many \
      strangers enroll.mode window is the better choice.
      """
    case .enrolAddressChanges:
      """
      Some wearables advertise under a private address that is replaced within minutes: what is enrolled under it is \
      away for ever after that. Where the address is resolvable the hub pairs at enrolment, and from then on knows the \
      wearable by its identity key. An address that no key resolves, a family that is never paired, or a pairing \
      without such a key is refused. In mode all a person has to accept such a wearable in a window.
      """
    case .noSuchWearer:
      """
      Samples are assigned to wearers that were entered before, by name or by number. A wearer who was retired keeps \
      what was assigned \
      until then, and gets nothing from later times. Enter the person again if they are back.
      """
    case .wearerNameInvalid:
      """
      A wearer's name is shown in tables and written into exports, so it is one line of 1 to 64 bytes without control \
      characters, and \
      does not begin or end with a space. Letters of all scripts are allowed; most of them take two or three bytes.
      """
    case .wearerNameTaken:
      """
      Two present wearers with one name would be mistaken for each other, so each name is given once, whatever the \
      case of its letters. \
      The names of retired wearers may be given again.
      """

    case .restRateBeyond:
      """
      The hub watches live heart rates where somebody set limits (hearth alerts NAME). This one stayed beyond one \
      for 15 minutes of values that follow each other, while nothing told of exercise. It is told again only after \
      60 seconds within the limit, and shown until somebody acknowledges it; LINK is lit with a pause meanwhile. \
      Nobody is called by it: it is no medical alarm.
      """
    case .exerciseRateBeyond:
      """
      The hub watches live heart rates where somebody set limits (hearth alerts NAME). This one stayed beyond the \
      one for exercise for 10 seconds without a gap. What counts as exercise is ordered there, or told by steps, \
      wheels and sessions of who wears it. It is told again only after 60 seconds within the limit, and shown until \
      somebody acknowledges it. Nobody is called by it: it is no medical alarm.
      """
    case .oxygenBeyond:
      """
      The saturation that an oximeter sends stayed below the limit that somebody set for 15 minutes; values that the \
      sensor itself doubts do not count. A loose finger and cold hands are the usual causes. It is told again only \
      after 60 seconds within the limit, and shown until somebody acknowledges it. The hub's watch replaces no \
      monitor: it is no medical alarm.
      """
    case .temperatureBeyond:
      """
      The temperature that a thermometer sends stayed beyond the limit that somebody set for 15 minutes, in values \
      that lie at most ten minutes apart; values that the thermometer itself doubts do not count. It is told again \
      only after 60 seconds within the limit, and shown until somebody acknowledges it. Nobody is called by it: it \
      is no medical alarm.
      """

    case .adapterMissing:
      """
      The kernel lists no Bluetooth adapter with Low Energy. On a Raspberry Pi look for dtoverlay=disable-bt in \
      config.txt and for the \
      firmware package; btmgmt info lists what the kernel sees. The hub keeps looking and starts by itself when an \
      adapter appears; \
      LINK shows code 4 until then.
      """
    case .adapterPoweredOff:
      """
      Something switched the adapter off while the hub used it: bluetoothd, a desktop's Bluetooth menu or btmgmt. The \
      hub switches it on \
      again and takes its links up. If it goes off at regular times, power management is at work: look at journalctl \
      around those times.
      """
    case .adapterBlocked:
      """
      rfkill is the kernel's switch for all radios; rfkill list shows who is blocked. A soft block is lifted by rfkill \
      unblock bluetooth, \
      and lasts over a restart unless it is saved again. A hard block is a switch on the device. With \
      radio.unblock_rfkill set to true \
      the hub lifts soft blocks itself at start.
      """
    case .adapterRemoved:
      """
      The adapter left the system: a USB stick was pulled or lost its power, or the driver of the onboard one was \
      unloaded. The hub waits \
      and sets it up anew when it returns, under whatever number. A stick that leaves by itself under load usually \
      lacks current: use a \
      powered USB hub or another supply.
      """
    case .controllerSilent:
      """
      Commands to the controller are not answered, or no advertisement has come for a time in which some always do. \
      The hub works \
      through its recovery, from restarting the scan to resetting the adapter, and HUB shows code 2 meanwhile. \
      Under-voltage is the \
      first suspect on a Raspberry Pi: vcgencmd get_throttled should print 0x0. The kernel's own view is in journalctl \
      -k.
      """
    case .radioTakenOver:
      """
      An upgrade of the system or a person started bluetoothd, or another program stopped the scan or switched the \
      adapter off. The hub set it up again by itself, beside that program or after it, and tells from when until \
      when it did not serve. Masking bluetooth.service keeps bluetoothd from doing it again.
      """
    case .radioAddressDiffers:
      """
      A bonded wearable knows a hub by the address of its adapter. The backup that this hub was restored from was made \
      by an adapter with another address, and this adapter could not take that over: not every controller lets its \
      address be changed. An adapter that is moved from the old hub has it; a USB adapter can be.
      """
    case .radioBack:
      """
      The adapter was away, switched off, or did not answer, and serves again. The event says from when until \
      when. In between nobody was heard and no link held. If it happens often, look at the power supply first: \
      hearth radio shows which resets were needed.
      """
    case .radioTried:
      """
      A controller that heard something before and falls silent is woken with the rungs of a ladder, the gentlest \
      first: its scan anew, power off and on, HCI reset, down and up, its port or UART, hearthd, and where that is \
      configured the machine. All but the first end its links. Each is an event when it was not tried for an hour; \
      those that follow are counted by the hour.
      """
    case .attemptsFull:
      """
      The kernel takes twelve connection attempts at a time, and the hub waits for four wearables at most. More are \
      under way only while attempts that were given up do not end, as with a controller that does not answer; that has \
      a code of its own (H3105).
      """
    case .kernelWithoutBluetooth:
      """
      The kernel refused to open a Bluetooth socket, so it was built without Bluetooth or its module is not loaded. \
      modprobe bluetooth \
      tells which. Everything else of the hub runs: what is stored can be read and exported.
      """
    case .capabilityMissing:
      """
      The kernel lets only privileged processes control an adapter. The systemd unit gives hearthd what it needs, \
      CAP_NET_ADMIN, and CAP_NET_RAW to look closer; started by hand it needs root. In a container the capability must \
      come from the host itself, a user \
      namespace is not enough.
      """
    case .bluetoothdClash:
      """
      Hearth talks to the kernel directly and needs no bluetoothd. One that runs beside it may switch the adapter off, \
      stop the scan, \
      connect to wearables itself and answer pairing questions with no. If another program on this machine needs it, \
      give that one an \
      adapter of its own; otherwise disable it.
      """
    case .adapterNotChosen:
      """
      There are adapters, but none fits radio.adapter. auto takes a USB adapter before the onboard one; usb and uart \
      take only that kind; \
      an address takes exactly one. Numbers such as hci0 are not accepted, because they change when an adapter is \
      plugged in again.
      """
    case .managementRefused:
      """
      The kernel answered a command with an error; the log line has the command and the status. Busy and not-powered \
      pass by themselves \
      while the adapter is being set up. Not-supported means an old controller or kernel; the hub then does without, \
      where it can.
      """
    case .adapterAddressUnprogrammed:
      """
      Each adapter must have an address, which comes from its firmware or the boot loader; this one shows none or the \
      maker's \
      placeholder. On a Raspberry Pi the firmware package sets it at boot: reinstall bluez-firmware and look at \
      journalctl -k. The hub \
      serves with it all the same; two hubs with the same placeholder in one place disturb each other.
      """
    case .busResetRefused:
      """
      One rung of the recovery takes the adapter off its bus and puts it on again: a reset of the USB port, or the \
      driver of the onboard \
      adapter's serial line unbound and bound. That needs root, which hearthd is not. The helper hearth-radio-reset \
      does it when hearthd \
      asks; without it the recovery goes on with the next rung.
      """
    case .radioExhausted:
      """
      Every step of the recovery was tried, up to a reset of the adapter, and it still does not answer. Onboard \
      controllers can hang so \
      deep that only loss of power helps: unplug the hub for ten seconds. If that does not help, or helps for a day, \
      plug in a USB \
      adapter; with radio.adapter at auto it is taken at once.
      """

    case .storeUnwritable:
      """
      The folder or its files refuse to be written: wrong owner, a read-only mount, or a parent folder that does not \
      exist. hearthd runs \
      as the user hearth under systemd, so files made by root in a trial are a common cause; nothing was changed. \
      Where a mount becomes read-only while the hub runs, as after an error of its disk, nothing is erased on \
      wearables until it takes writes again. ext4 takes none after an error before it was unmounted, and that needs \
      the hub stopped: mount -o remount,rw is refused, or succeeds and changes nothing. hearth doctor has the \
      commands; a store on the root file system needs a restart of the machine.
      """
    case .storeUnreadable:
      """
      The store belongs to the user that hearthd runs as, and beside that only root may read its files: they hold what \
      people measured. With --store they are read past the daemon, so the daemon's groups count for \
      nothing there. Without --store the daemon answers whoever is in one of its groups (roles.operate), and says who \
      has read what.
      """
    case .storeForeign:
      """
      There are files at store.path that Hearth did not write, or that belong to another program. It never opens, \
      repairs or deletes \
      them. Look whether the path is right; if the files are of no use, move them away by hand.
      """
    case .storeNewer:
      """
      The store carries a format number that is higher than this version knows, so a newer Hearth has written it. \
      Reading it with old \
      rules could destroy it, so it is left alone. An older Hearth never goes back over a newer store; export with the \
      newer one if you \
      must go back.
      """
    case .storeInUse:
      """
      Only one process may write a store, and another one holds its lock. Usually a second hearthd was started by hand \
      beside the \
      service: systemctl status hearthd shows the first. The lock ends with its process, so nothing has to be deleted.
      """
    case .storeChunkCorrupt:
      """
      Samples are kept in pieces with a checksum each, and one does not match: the card returned other bytes than were \
      written. The hub \
      leaves the piece out and goes on. One case may be a power cut at a bad moment on a poor card; more than one \
      means that the card \
      wears out.
      """
    case .storeFull:
      """
      The store keeps within store.size, but its file system has no room left for even that, so something else fills \
      the card: logs, \
      updates, other data. df -h and du show what. Samples wait in memory meanwhile, and are lost when that bound is \
      reached or power \
      fails.
      """
    case .storeInputOutput:
      """
      The kernel reported an error while the card was read or written. journalctl -k shows the device and usually says \
      whether it is the \
      card or its power. Export what you need before anything else; a restart may be what the card does not survive.
      """
    case .storeAbsent:
      """
      The path holds no store: hearthd has never run with it, or it is another path than the daemon uses. hearth \
      config show --origin \
      prints the path and which file set it. Reading commands never make a store.
      """
    case .secretsKeyMissing:
      """
      Bond keys and recording secrets are encrypted in the store under a key that stands in a file of its own, which \
      only the daemon and root can read. The store has secrets and that file is not there, or could not be made. \
      Wearables with secrets are not visited, and none is overwritten, here or there. Put the file back from the \
      backup and restart the hub. Without one take the bonds away (hearth bond remove) and forget wearables \
      with a recording secret: the next start makes a new key, and they can be paired anew or their bonds imported.
      """
    case .secretsKeyWrong:
      """
      The store's secrets are encrypted under another key than the one in the key file, or that file is a link, has \
      another length, belongs to somebody else or can be read by others: hearth events tells which. This happens when \
      a store or a key file was copied alone. Wearables with secrets are not visited, and none is overwritten. Put the \
      file that belongs to the store in place, owned by the daemon's user with mode 0600, and restart the hub.
      """
    case .storeNotCopied:
      """
      A newer store format is written only after the store was copied as it is, into the folder before-conversion \
      beside it, so that the version before can go on with it. There was no room for the copy, or the card refused it. \
      Nothing was changed: the version before opens this store, and after an update hearth-update goes back to it.
      """
    case .storeMiscounted:
      """
      The store's file counts its own pages, and the room that is left follows from these counts. Some were not what \
      the pages themselves add up to: a bit changed on the card or in memory, without the card saying so. They were \
      counted anew before anything was written, and nothing was deleted for the wrong ones. The hub shows this until \
      its next start, and hearth events has the figures. A card that changes one bit changes others: replace it \
      soon.
      """
    case .storeDamaged:
      """
      The hub walks through all pages of the store's file before its first write, and some contradict each other: \
      one leads beyond the end, is in use twice, or is free and in use. Writing on would destroy samples, so hearthd \
      does not start with this store, or writes nothing more where it was noticed later. Nothing was deleted. While \
      the hub is stopped, hearth export and hearth store verify read the tables that are whole, and name the others. \
      Then move the folder away and start anew, or restore the last backup on another card.
      """
    case .storeInMemory:
      """
      The folder of the store is on a file system in memory (tmpfs, ramfs, zram), or on an overlay that writes to \
      one, as raspi-config's read-only root does. Nothing is left of it after the power was off. A wearable whose \
      recording was erased would have lost it, so the hub erases nothing, for no order, and says so until it is \
      started on another place. STORE shows code 4. Give the store a partition that stays writable, or switch off \
      the overlay.
      """
    case .storeUnproven:
      """
      A receipt says that samples are on a disk. The hub cannot know that of a network or FUSE file system, of one \
      mounted without barriers (nobarrier, barrier=0), of an overlay with volatile, or of one whose upper layer it \
      does not find. So it stores as ever and erases nothing on wearables. STORE shows code 4. Put store.path on a \
      local file system mounted with its defaults.
      """
    case .storeOpenToAll:
      """
      FAT, exFAT and NTFS keep no owners and modes: the key file of the store's secrets can be read by every user, and \
      so can samples. They have no journal either, so that a power cut at a bad moment may leave files damaged. The \
      hub stores and erases as ever. Put store.path on ext4.
      """
    case .storeTableFull:
      """
      Lists of wearers, assignments, bonds, export cursors and of what is remembered of one wearable, its orders among \
      that, have upper bounds, \
      so that what they take of memory and card stays known. \
      The message says which list it is and how many entries it has. What is in it stays as it is; only the new entry \
      was refused.
      """
    case .storeEvicting:
      """
      The store and its rings have bounds and give up the oldest samples for new ones, those first that some reader \
      has confirmed; in the \
      last day samples went that none had. STORE shows code 2. Export regularly with hearth export --cursor NAME, once \
      a day is plenty for \
      most halls, or set higher bounds: store.rings and store.size.
      """
    case .storeRefusing:
      """
      The configuration says of this series that what is full shall not give up samples (evict: refuse), so the hub \
      stops fetching it and \
      leaves it in the wearable's memory. Nothing is erased there either. It goes on by itself when there is room: \
      export what is here and \
      purge it, or raise the quota. A wearable's memory is small, and what it does when that is full is its own affair.
      """
    case .purgeCountDiffers:
      """
      A purge deletes samples for good, so whoever asks for one has to say how many it will cost. The number given is \
      not what the filters \
      find now: more may have come, some may have been evicted, or the filters differ. Let hearth store purge show the \
      count again.
      """
    case .storeBatchTooLarge:
      """
      Fetched samples become durable in batches of a few megabytes, so that memory and the longest wait for the card \
      stay known. A driver cuts \
      larger files into several. One that did not has a fault; what it fetched stays on the wearable.
      """
    case .storeBack:
      """
      Commits failed for a time and succeed again. What waited in memory is durable now. Only what did not fit \
      into memory meanwhile is lost, and hearth store counts it as dropped. If it happens again, the card is \
      wearing out: hearth store shows how much was written to it.
      """
    case .storePurged:
      """
      hearth store purge deletes samples for good, after it has said how many and somebody has repeated the number. \
      This entry in the list of \
      events says when that was and how many went.
      """
    case .stagedElsewhere:
      """
      What is fetched of a file is kept until all of it is there, so that a lost link costs nothing. Bytes came that \
      do not continue what is \
      kept: some was given up to make room or is damaged, or the file has changed. The visit ends and the next one \
      goes on from what is kept.
      """
    case .stagedGivenUp:
      """
      Files that are half fetched are kept in the store, and count in its size. When room is short they go before \
      samples that nobody has \
      exported, because they are still on their wearable: nothing is erased there before all of it is durable. It \
      costs a second fetch.
      """
    case .custodyInvalid:
      """
      The hub keeps a record of each file on a wearable under the name that its driver gives it: at most 120 printable \
      characters. One that \
      is longer or has other characters is not kept, and so its file is neither fetched nor erased.
      """
    case .storeBudgetExceeded:
      """
      Cards wear out by writing, so the hub counts what it makes the card write in a day and compares it with its \
      budget. Nothing is \
      lost by passing it. Longer intervals between commits write less, at the price of more samples in memory when \
      power fails: \
      store.commit.every and store.commit.bytes.
      """
    case .storeTimesCorrected:
      """
      A Raspberry Pi without a clock module starts with the time of its last stop, and is behind until a time server \
      answers. Live samples of that time were stored as unsure, with the time since the machine started beside them. \
      Now that the distance to true time is known, exports, lists and days give them their true time and say \
      corrected in place of unsure. What wearables keep with their own clocks is not touched.
      """
    case .storeFailing:
      """
      Commits fail again and again: the card is dying, or the kernel has made it read-only to save what is there. \
      Samples are taken into \
      memory up to a bound, and none of them survives a power cut. Export at once, leave the hub powered until that is \
      done, then replace \
      the card. A file system that the kernel made read-only takes writes again when it was unmounted, checked and \
      mounted: hearth doctor has the commands.
      """

    case .backupDamaged:
      """
      A backup begins with a mark, a version and a salt; everything behind is sealed piece by piece, and the last \
      piece says that it is the last. This file is cut short, was changed, is of a later version, or is something \
      else. Nothing of it was taken over: a restored store takes its place with one step, when all of it was read.
      """
    case .backupPassphraseWrong:
      """
      The key that opens the file is made from the passphrase, and it does not fit the first piece. A wrong passphrase \
      and a file that was changed in its first 64 KB look the same: cryptography cannot tell them apart. A passphrase \
      that is forgotten cannot be recovered.
      """
    case .backupFileUnusable:
      """
      The system did not let the file be read or written; the detail has its own words. A backup is written under \
      another name, synced, and then renamed: a power cut leaves the file that was there before, or the new one.
      """
    case .restoreRefused:
      """
      Restoring makes a store of a backup, and one that has wearables is never written over. A hub whose store is \
      empty of wearables is fresh. Who wants to replace a hub's store stops hearthd, moves the folder away, and \
      restores.
      """
    case .backupInterrupted:
      """
      A backup is the store as it was at one moment. While it lasts, pages that are given free cannot be used again, \
      so it ends by itself when the reader is silent for 30 s, when it takes longer than 15 minutes, when the store is \
      in trouble, and when another backup begins. The store itself is not changed by it.
      """
    case .backupOverdue:
      """
      The configuration wants a backup every backup.every, and the newest that was made is older than twice that time. \
      hearth-backup.timer starts it; systemctl status hearth-backup says what became of it. A backup by hand counts too.
      """
    case .backupFailed:
      """
      The program that makes the scheduled backup told the hub that it could not; the detail says why. Backups that \
      were made before are kept until a new one is whole.
      """
    case .backupNotConfigured:
      """
      hearth backup --scheduled does what the section backup of the configuration says, and there is none. A backup by \
      hand needs no configuration: hearth backup FILE.
      """
    case .restored:
      """
      The store was made of a backup. Names, wearers, orders, notes, bonds and what is known of each recording are as \
      they were then. Without samples in the backup, recordings count as fetched only where an export had confirmed \
      them: everything else that wearables still hold is fetched, and nothing of it is erased before.
      """
    case .clockUntrusted:
      """
      A Raspberry Pi has no clock that runs without power, and no time source has set this one since it started; HUB \
      shows code 3. \
      Samples are stored all the same, marked as unsure in exports, with the reading of a second clock that never \
      jumps, so that their times can be corrected once the \
      right time is known. Give the hub NTP over its network, or fit a clock module.
      """
    case .clockStepped:
      """
      The wall clock jumped by more than a time source steers it, forwards or back. That is usual once after a start \
      without network. \
      Samples keep both the old and the new reading, and the order of samples is not affected.
      """

    case .socketInUse:
      """
      A living hearthd answered on the socket, so a second one would take away its clients and its radio. It may be \
      the service: \
      systemctl status hearthd. For a second hub on one machine give it its own configuration: control.socket, \
      store.path and \
      radio.adapter must differ.
      """
    case .socketUnavailable:
      """
      hearthd could not make its UNIX socket. The folder is missing or may not be written, or the path is longer than \
      107 bytes, which is \
      the kernel's limit. Under systemd the folder /run/hearth is made by the unit; by hand choose another path with \
      control.socket.
      """
    case .controlMalformed:
      """
      The control socket speaks Varlink: one JSON object and a zero byte. Something else came, or a message longer \
      than the bound. Other \
      clients and the wearables are not affected.
      """
    case .controlUnknownMethod:
      """
      The method or interface is not offered. hearth and hearthd of different versions are the usual cause after an \
      update without \
      restart: systemctl restart hearthd. The service describes itself through \
      org.varlink.service.GetInterfaceDescription.
      """
    case .controlBadParameter:
      """
      The question was understood, but a parameter is missing, unknown, of another kind or out of its range. The \
      answer names it. Nothing \
      was done, not even in part.
      """
    case .controlTooManyClients:
      """
      Of 16 places who may only read has 9, and all but root 13; one user has 6 of them, and 4 of the 10 for answers \
      that go on, as of hearth live. So the groups hearth and hearth-admin, and above them root, find a place whoever \
      reads. A client that said nothing for a minute gives its place to who comes. ss -xp shows who is connected to \
      the socket.
      """
    case .controlClientTooSlow:
      """
      Answers wait for their reader for 30 s without one more byte read, and of live values 256 KiB may wait; then \
      the client is disconnected, so that it keeps no place. hearth live over a slow SSH session does that, or one \
      that was stopped with Ctrl-Z. Nothing is lost in the store.
      """
    case .daemonDown:
      """
      Nobody answers on the control socket. Either hearthd does not run, systemctl status hearthd says why, or it uses \
      another socket \
      than this command: compare control.socket and HEARTH_SOCKET. Meanwhile hearth store and hearth export read the \
      store by themselves, \
      without changing it.
      """

    case .controlNotAllowed:
      """
      Either the mode of the socket's file keeps this user out: where there is no group hearth-admin, only root, the \
      user hearth and the group hearth may talk to the daemon. usermod -aG hearth NAME adds a technician. Or it was \
      about keys, which leave the hub for root and the daemon's user, and through a running daemon for members of \
      hearth-admin: the file that they are sealed under is closed to the group. sudo opens both.
      """
    case .timeNotUnderstood:
      """
      Times are in the zone of the hub, which hearth clock names, and every command takes the same forms: today and \
      yesterday; 14:30 of today; 2026-11-22, which is that whole local day, so that an --until includes it; 2026-11-22 \
      10:00; 90s, 15m, 2h, 3d and 1w ago, with or without a minus; and RFC 3339, whose offset says a zone of its own. \
      A time that clocks show twice in autumn is the first of both, and one that they leave out in spring is the \
      moment at which they do.
      """
    case .noSuchAssignment:
      """
      An assignment is named by its wearable and by the moment from which it holds. None of this wearable begins at \
      the time that was given. A time without a zone is in the zone of the hub, and is met to the second. The list of \
      hearth wearer history has every begin as it has to be written.
      """
    case .assignmentTaken:
      """
      Two assignments of one wearable cannot begin at the same moment: nobody could say which of them holds. Give the \
      one that is there another wearer, or delete one of the two.
      """
    case .wearerStillWears:
      """
      Erasing deletes a number of samples that somebody has agreed to lose. While a wearable is on the person it goes \
      on to measure, and the number would be another one a second later. Say that nobody wears it any more with hearth \
      wearer unassign NAME, then erase.
      """
    case .wearerErased:
      """
      hearth wearer erase deletes a person's name, body, assignments and samples from the store. This entry in the \
      list of events says when it was finished and how much went; the person is a number in it. Exports, what \
      wearables still hold, copies of the card and the card's own free pages are not in its reach.
      """
    case .storeUnread:
      """
      The configuration says how long samples may wait before a reader (hearth-uplink, or hearth export with a \
      cursor) has confirmed them, and they have waited longer. The time counts from the last confirmation. STORE shows \
      it until one comes. Without store.export_within the hub says nothing: one in a cupboard may have no network for \
      months.
      """
    case .erasureCountDiffers:
      """
      Erasing deletes samples for good, so whoever asks for it has to say how many it will cost. The number given is \
      not what is there now: more may have been fetched, or some may have been evicted. Let hearth wearer erase show \
      the count again.
      """
    case .controlRoleMissing:
      """
      Three groups may use the control socket: group hearth-read reads (status, wearables, samples, exports), group \
      hearth operates (visits, enrolment, links, orders, wearers, assignments), group hearth-admin administers \
      (forgetting, keys, secrets, purging, erasing, resetting the radio). Each may what those before it may; root and \
      the daemon's own user may everything. The configuration (access) may name other groups. The answer says which \
      group was missing: sudo usermod -aG GROUP USER, then log in again, because a session keeps the groups that it \
      began with.
      """
    case .orderGiven:
      """
      Each call that changed something is kept with who made it: the user of the machine as the kernel names it, the \
      wearable if it was about one, and what was ordered. Equal orders of one user within a minute are kept once. \
      Wearers are named by number alone. hearth events lists them.
      """
    case .agreementMissing:
      """
      Some commands give up what cannot be had back: the keys of a wearable, items that it holds and no visit has \
      fetched yet, live values while links are down. They say what it is and ask at a terminal. Where nobody can be \
      asked, in a script, under --json or --no-input, the command does nothing unless --yes says that this was meant; \
      where unfetched data would be lost, --yes-lose N with the exact number of items. Fetch first with hearth visit \
      now NAME --wait where that is possible.
      """
    case .terminalMissing:
      """
      hearth watch draws over the whole screen and reads single keys, so standard input and output must be a \
      terminal, and TERM must not be dumb. In a pipe, in a script or over ssh without -t there is none. hearth watch \
      --once prints the same screen as plain text and ends; ssh -t HUB hearth watch gives ssh a terminal.
      """

    case .fleetUnreachable:
      """
      hearth --hub runs ssh once for each hub and waits for all of them side by side. ssh's own words are printed: a \
      name that does not resolve, a host key that changed, a key that is not accepted, or no answer within the time \
      limit. Names, users and ports of hubs belong into ~/.ssh/config. The other hubs' answers stand, and the exit \
      code is the worst of all.
      """
    case .fleetAnswerUnreadable:
      """
      ssh came through, but what came back is not what this command prints with --json. Usually Hearth is not \
      installed there, is too old to know the command, or a login script prints a greeting. Run ssh with that hub \
      and hearth version to see which. Nothing of the answer is shown as if it were sound.
      """
    case .fleetNotForMany:
      """
      Over several hubs at once only commands that ask are taken, such as status, devices, visits, events, store and \
      doctor. What changes a hub, asks questions, streams or fills a screen is done on that hub. This was refused \
      before any hub was asked.
      """
    case .lightsChipMissing:
      """
      The board file names the label of the GPIO chip, and this machine has no chip with it, or the user hearth may \
      not open it. \
      gpiodetect lists labels: pinctrl-bcm2835 on a Raspberry Pi 3 and Zero 2 W, pinctrl-bcm2711 on a 4, pinctrl-rp1 \
      on a 5. If \
      gpiodetect works only as root, the user needs the group gpio. All else of the hub runs without lights.
      """
    case .lightsLineMissing:
      """
      The chip is there, but has no line of the name in the board file. gpioinfo prints the names; they come from the \
      device tree and \
      differ between kernels for some pins. Names such as GPIO17 are the same on all models since 2024.
      """
    case .lightsLineBusy:
      """
      Another program or a kernel driver holds the line, or the kernel refuses to drive it. gpioinfo shows the \
      consumer's name. Overlays \
      for fans, displays and buttons in config.txt are the usual holders; the lights take the lines when hearthd \
      starts and never while \
      it runs.
      """
    case .lightsBoardUnknown:
      """
      lights.board is the name of a file without .yaml in the board folder, a path to one, none, or terminal. The file \
      must name at \
      least one chip label and one lamp. hearth-hat-1 fits any Raspberry Pi with a 40-pin header.
      """
    case .startedAfterStop:
      """
      The hub had been stopped in order: by systemctl, by the button, by an update or by a shutdown of the \
      machine. All that was measured until then is durable. The event says from when until when it did not \
      run; wearables that only stream were not heard in between.
      """
    case .startedAfterKill:
      """
      The mark of the run before has no end, and the machine was not restarted meanwhile: the process was \
      killed, or it crashed. What was not committed, of the last 15 seconds as configured, is lost. The \
      event's span begins with the last moment of which the store knows that the hub ran.
      """
    case .startedAfterPowerCut:
      """
      The mark of the run before has no end, and the machine has been started anew since then: power was cut, \
      or the machine hung or restarted without stopping its services. The store survives that by design. The \
      event's span begins with the last moment of which the store knows that the hub ran.
      """
    case .startedFirst:
      """
      The store is new, or was written by a version that kept no mark of its runs. How the run before ended is \
      not known, if there was one. The next start will say it.
      """
    case .startedAgain:
      """
      From the fifth start within an hour on, starts are counted and told in one event, so that a hub that \
      cannot stay up does not fill the table. The span goes from the end of the run before the first of them \
      to the last start. The log says why the runs ended.
      """
    case .logUnavailable:
      """
      hearth log asks journalctl for what hearthd wrote. Either there is no journalctl, or it may not be asked \
      by this user, or hearthd does not run under systemd. Where hearthd was started by hand its lines are on \
      its standard error: keep them in a file (hearthd 2>hub.log) and read that with hearth log --file \
      hub.log.
      """
    case .metricsUnwritable:
      """
      metrics.file names a file that hearthd writes anew every 15 seconds for a collector, and it may not or cannot. \
      Its folder has to be there, and its unit has to let it write in it: that holds for /run/hearth, and for what a \
      line ReadWritePaths= names (sudo systemctl edit hearthd). hearth config check looks at both. The hub goes on \
      trying, says so once, and tells in the log when the file is written again.
      """
    case .updateReturned:
      """
      After each update the hub must serve within two minutes, for half a minute without a break: radio ready if it \
      was before, store taking what comes. This one did not, so the package that was kept was installed again. HUB \
      is calm until somebody has seen to it. apt does not take that version again, but a later one \
      (/etc/apt/preferences.d/hearth-went-back); sudo hearth update apply --again tries it once more.
      """
    case .updateStuck:
      """
      The update did not serve, and there was no package to go back to, or dpkg could not install it: journalctl -u \
      hearth-update-watch has its words. hearthd is tried again by systemd as always. A package of any version can be \
      installed with sudo hearth update apply FILE; the store is kept by all of them.
      """
    case .updateNotDone:
      """
      apt or dpkg did not install the package, or nothing newer is to be had. What they said stands above. Nothing was \
      taken away: the version that was installed goes on, and dpkg finishes at the next start of the machine what was \
      broken off.
      """
    case .updateNotKept:
      """
      Each upgrade keeps the package that it replaces, one of them. There is none after the first installation, and \
      after a way back. A package file of an earlier version, or a repository that has it, serves as well.
      """
    case .uplinkBrokerUnreachable:
      """
      hearth-uplink tries again by itself, at first after a second and at last every minute. Nothing is lost \
      meanwhile: the store keeps what its quotas allow, and hearth uplink says how many rows wait and since when. \
      The lights do not tell it unless uplink.yaml says so, because many hubs have no network most of the time.
      """
    case .uplinkBrokerRefuses:
      """
      The broker answered and said no: a wrong password, a user that may not publish to these topics, or a client \
      name that it does not take. Its code stands in the detail. hearth-uplink goes on trying every minute, so \
      nothing needs a restart when the broker's side is mended.
      """
    case .uplinkCertificate:
      """
      The certificate of the broker or the hub's own is expired, not yet valid, for another name, or signed by \
      nobody that uplink.yaml trusts. A hub whose clock is wrong sees good certificates as bad: hearth clock tells. \
      Files are read again at each try, so a new certificate needs no restart.
      """
    case .uplinkSessionTaken:
      """
      The broker ended the session because a client with the same name connected. Mostly two hubs have the same \
      hub.name, or a card was copied. Until it is mended both take the session from each other; hearth-uplink then \
      waits longer from time to time. Rows carry the identity of their store, so the two are never mixed up.
      """
    case .uplinkUnacknowledged:
      """
      Batches were sent and no acknowledgement came within two minutes, though the link stands. Usually the broker's \
      disk is full or its cluster has no majority. The link is begun anew and the same rows are sent again. What was \
      acknowledged before stays confirmed.
      """
    case .uplinkHubSilent:
      """
      hearth-uplink asks hearthd over its socket like anybody, and got no answer or a refusal. Either hearthd does \
      not run, or the user hearth-uplink is not in the group that may export. It asks again every few seconds and \
      goes on where the daemon's cursor stands.
      """
    case .uplinkLosses:
      """
      The uplink was away for longer than the store's quotas hold. The oldest rows went to make room for new ones; \
      how many and of which time stands in the detail and in the hub's retained status. What is still there is sent. \
      The sink lists the same stretch in its gap report.
      """
    case .uplinkOrderRefused:
      """
      hearth uplink resend sends everything from a time on once more. It was refused because the time lies ahead, or \
      because the order before is still being carried out. Sending again costs the link's data volume and nothing \
      else: a sink stores each row once.
      """
    case .uplinkDown:
      """
      hearth uplink asks the program beside the daemon, and its socket is not there or does not answer. It is not \
      started on a hub that has no broker configured. journalctl -u hearth-uplink has its last words. The hub itself \
      needs none of it.
      """
    case .sinkBroker:
      """
      The broker did not answer, refused the sink, or the secure connection failed. The sink tries again, at first \
      after a second and at last every half minute. Batches that were not committed were not acknowledged, so the \
      broker hands them out again.
      """
    case .sinkDatabase:
      """
      PostgreSQL did not answer or refused a statement. Nothing is acknowledged to the broker before the commit, so \
      nothing is missing when the database is back. A schema that is older than the program is brought up to date by \
      hearth-sink schema --apply.
      """
    case .sinkBatchRefused:
      """
      The bytes are no batch of a version that this sink knows, or contradict themselves. They are stored whole with \
      topic and cause, and then acknowledged, so that one bad message does not stop all others. Usually hubs are \
      newer than the sink.
      """
    case .sinkGap:
      """
      Each row carries its ordinal, so the sink sees what a broker took and lost. The report names hub, wearable, \
      series, ordinals and times of each gap. Gaps that the hub itself told of, because rows were evicted, purged or \
      damaged there, are counted apart. Recordings do not come in the order of time, so a day before the gap is early \
      enough and the time of the gap itself is not.
      """
    }
  }
}
