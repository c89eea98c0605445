import { type ComponentType, lazy } from 'react'

const tries = 20
const pauseMs = 1_500

/**
 * A part whose code is fetched when it is first shown. React keeps a failure for good, so that one
 * that came while the server was away would outlast it: it is tried again instead, and what is
 * shown meanwhile stays.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await persistently(load) }))
}

async function persistently<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let failed = 1; ; failed += 1) {
    try {
      return await load()
    } catch (cause) {
      if (failed === tries) throw cause
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
