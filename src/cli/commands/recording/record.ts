import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import type { Installation } from '../../../app/installation.ts'
import type { Views } from '../../../app/operations/views-of.ts'
import { shellWord } from '../../../app/text/shell-word.ts'
import { usage } from '../../../app/usage.ts'
import { isObject, parsedJson } from '../../../domain/json.ts'
import { writeWhole } from '../../../files/write-whole.ts'

/**
 * Refuses a file that a recording cannot be written to, so that the Run does not begin in vain.
 * Only another recording may be replaced.
 */
export async function checkRecordFile(file: string): Promise<void> {
  const isFolder = await stat(dirname(resolve(file))).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) throw usage(`--record ${file}: the folder does not exist.`, 'Create the folder, or name another file.')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw usage(`--record ${file} cannot be used: ${error.message}`, 'Name another file.')
  })
  if (text === null || isRecording(text)) return
  throw usage(`--record ${file}: the file exists and is not a recording.`, 'Name another file, or remove it.')
}

function isRecording(text: string): boolean {
  const recording = parsedJson(text)
  return isObject(recording) && recording.version === 1 && isObject(recording.lanes)
}

/** A repository whose Runs can be recorded. */
type RecordingSource = Pick<Installation, 'repository'> & Pick<Views, 'recording'>

/**
 * Writes the recording of a Run so far, and returns the message for people. An error is returned as
 * a message, too, since it must not hide the Run's result.
 */
export async function sayRecorded(recorded: RecordingSource, run: string, file: string): Promise<string> {
  try {
    const turns = await writeRecording(recorded, run, file)
    if (turns === null) return `${run} has no stored turns yet, so nothing was recorded.`
    return `Recorded ${turns} ${turns === 1 ? 'turn' : 'turns'} in ${file}. Play it again: --model ${shellWord(`replay:${file}`)}`
  } catch (error) {
    return `The recording could not be written: ${error instanceof Error ? error.message : String(error)}`
  }
}

/**
 * Replaces the file atomically. Returns the number of turns, or null when nothing of the Run is
 * stored.
 */
async function writeRecording(recorded: RecordingSource, run: string, file: string): Promise<number | null> {
  // The next editor may read a file in the repository, so hidden tests stay out of it.
  const isOpen = !relative(await placeOf(recorded.repository), await placeOf(dirname(resolve(file)))).startsWith('..')
  const { recording } = await recorded.recording({ run, for: isOpen ? 'editor' : 'user' })
  if (recording === null) return null
  await writeWhole(file, `${JSON.stringify(recording, null, 2)}\n`)
  return Object.values(recording.lanes).flat().length
}

/** The real path of a folder, if it exists. */
function placeOf(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder)
}
