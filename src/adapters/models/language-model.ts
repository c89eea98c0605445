import type { streamText } from 'ai'

/** A model of the SDK, of any of its providers. */
export type LanguageModel = Exclude<Parameters<typeof streamText>[0]['model'], string>
