import type { StateAccess } from '../state-access.ts'

/** The part of a hub: active or on standby. */
export interface Standing {
  /** The process does the work from now on, or does not. */
  became(owns: boolean): void
  /** The hub that does it instead; null while this one does, or a process that is no hub. */
  standby(): Promise<{ readonly active: string } | null>
}

export function createStanding(
  { ownerFacts }: Pick<StateAccess, 'ownerFacts'>,
  onNote: (text: string) => void,
): Standing {
  /** Null until it is known. */
  let isActive: boolean | null = null
  let isTold = false

  async function standby() {
    if (isActive !== false) return null
    const url = (await ownerFacts())?.url
    return url === undefined ? null : { active: url }
  }

  async function say(): Promise<void> {
    const other = isTold ? null : await standby()
    if (other === null || isTold) return
    isTold = true
    onNote(`The hub ${other.active} is active. This one is on standby, and takes over when it ends.`)
  }

  return {
    standby,
    became(owns) {
      if (owns && isTold) onNote('This hub is the active one now.')
      if (owns) isTold = false
      isActive = owns
      // The active hub may not have published its address yet.
      if (!owns) void say()
    },
  }
}
