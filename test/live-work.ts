import { createSystemClock } from '../src/adapters/clock/system-clock.ts'
import { callLine } from '../src/app/text/tool-line.ts'
import { createRedactor } from '../src/domain/secrets/redact.ts'
import { createSpeechRedactor } from '../src/domain/secrets/redact-speech.ts'
import { createLiveWork } from '../src/workflow/lane/live-work.ts'

/** An owner's record of its lanes in memory; only secrets with a known shape are redacted. */
export function liveWork() {
  const redact = createRedactor([])
  return createLiveWork({
    clock: createSystemClock(),
    redact,
    redactSpeech: createSpeechRedactor([], redact),
    lineOf: callLine,
  })
}
