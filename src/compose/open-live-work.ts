import type { Installation } from '../app/installation.ts'
import { callLine } from '../app/text/tool-line.ts'
import { createLiveWork } from '../workflow/lane/live-work.ts'

/** The current activity of a process's lanes. */
export const openLiveWork = ({
  clock,
  redact,
  redactSpeech,
}: Pick<Installation, 'clock' | 'redact' | 'redactSpeech'>) =>
  createLiveWork({ clock, redact, redactSpeech, lineOf: callLine })
