import type { Drydock } from '../app/drydock.ts'
import { callLine } from '../app/text/tool-line.ts'
import { createLiveWork } from '../workflow/lane/live-work.ts'

/** The current activity of a process's lanes. */
export const openLiveWork = ({ clock, redact, redactSpeech }: Pick<Drydock, 'clock' | 'redact' | 'redactSpeech'>) =>
  createLiveWork({ clock, redact, redactSpeech, lineOf: callLine })
