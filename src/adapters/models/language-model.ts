import type { streamText } from 'ai'

/** A model of the SDK, of any of its providers. Drydock calls it without the SDK's own loop. */
export type LanguageModel = Extract<Parameters<typeof streamText>[0]['model'], { specificationVersion: 'v4' }>

/** One request, in the form that the provider's library takes. */
export type CallOptions = Parameters<LanguageModel['doStream']>[0]

/** A message of the conversation in a request. */
export type PromptMessage = CallOptions['prompt'][number]

type Part<Of> = Of extends ReadableStream<infer P> ? P : never

/** A piece of a reply. */
export type StreamPart = Part<Awaited<ReturnType<LanguageModel['doStream']>>['stream']>
