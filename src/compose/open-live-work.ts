import type { Drydock } from '../app/drydock.ts'
import { callLine } from '../app/text/tool-line.ts'
import { createLiveWork } from '../workflow/lane/live-work.ts'

/** What the lanes of an owner do at this moment. */
export const openLiveWork = ({ clock, redact, redactSpeech }: Drydock) =>
  createLiveWork({ clock, redact, redactSpeech, lineOf: callLine })
