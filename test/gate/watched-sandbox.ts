import type { Sandbox } from '../../src/ports/sandbox.ts'

/** A sandbox that records which checkouts are in use, and can hold a run back. */
export function watchSandbox(
  sandbox: Sandbox,
  held: (checkout: string, mounts: string) => Promise<unknown> | undefined,
) {
  const started: string[] = []
  const ended: string[] = []
  const watched: Sandbox = {
    ...sandbox,
    async exec(spec, command, signal) {
      const places = spec.mounts.map((mount) => /checkouts\/([^/"]+)/.exec(JSON.stringify(mount))?.[1])
      const checkout = places.find(Boolean) ?? ''
      started.push(checkout)
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      await Promise.race([held(checkout, JSON.stringify(spec.mounts)), aborted])
      return sandbox.exec(spec, command, signal).finally(() => ended.push(checkout))
    },
  }
  return { watched, started, ended }
}
