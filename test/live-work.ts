import { createSystemClock } from '../src/adapters/clock/system-clock.ts'
import { callLine } from '../src/app/text/tool-line.ts'
import { createRedactor } from '../src/domain/secrets/redact.ts'
import { createSpeechRedactor } from '../src/domain/secrets/redact-speech.ts'
import { createLiveWork } from '../src/workflow/lane/live-work.ts'

/** What an owner keeps of its lanes in memory, with no secrets but those that have a shape. */
export function liveWork() {
  const redact = createRedactor([])
  return createLiveWork({
    ...{ clock: createSystemClock(), redact, redactSpeech: createSpeechRedactor([], redact), lineOf: callLine },
  })
}
