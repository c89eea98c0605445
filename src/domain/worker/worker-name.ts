import { isTokenName } from '../hub/role.ts'

/**
 * True for a worker's name, which begins the names of its slots: short enough for a tool's
 * argument.
 */
export function isWorkerName(text: string): boolean {
  return text.length <= 24 && isTokenName(text)
}

/** A worker's name for a machine with this name. */
export function workerNameOf(machine: string): string {
  const [first = ''] = machine.toLowerCase().split('.')
  const name = first
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .slice(0, 24)
    .replaceAll(/^-+|-+$/g, '')
  return isWorkerName(name) ? name : 'worker'
}

/**
 * The name under which a worker offers its slots: that of its token, its own, and a part of the id
 * of its folder. A folder that was removed, or another machine of the same name, is another host.
 */
export function hostOf({ token, name, id }: { readonly token: string; readonly name: string; readonly id: string }) {
  return `${token}/${name}-${id.slice(0, 8)}`
}

/** All folders of a worker have this in common: the names of its token and of the worker. */
export function stemOf(host: string): string {
  return host.replace(/-[0-9a-f]{8}$/, '')
}

/** The host of a state's own machine, as of its only process. */
export const hubHost = 'local'

/** A host for people: without the name of its token; null for the hub itself. */
export function shownHost(host: string): string | null {
  const slash = host.indexOf('/')
  return slash < 0 ? null : host.slice(slash + 1)
}

/**
 * Names for the slots of a worker, of which nobody else offers one. A worker that comes back keeps
 * its `own`, which stories may hold.
 */
export function workerSlots(
  { name, id, coders }: { readonly name: string; readonly id: string; readonly coders: number },
  { taken, own }: Readonly<Record<'taken' | 'own', readonly string[]>>,
): readonly string[] {
  const named = (stem: string) => Array.from({ length: coders }, (_, i) => `${stem}-${String(i + 1).padStart(3, '0')}`)
  const short = named(name)
  const long = named(`${name}-${id.slice(0, 4)}`)
  return short.some((slot) => taken.includes(slot)) || long.some((slot) => own.includes(slot)) ? long : short
}
