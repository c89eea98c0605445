import type { StateAccess } from '../state-access.ts'

/** The role of a hub: active or on standby. */
export interface Standing {
  /** Called when this process starts or stops doing the work. */
  became(owns: boolean): void
  /** The hub that is active instead; null if this process is active or not a hub. */
  standby(): Promise<{ readonly active: string } | null>
}

export function createStanding(
  { ownerFacts }: Pick<StateAccess, 'ownerFacts'>,
  onNote: (text: string) => void,
): Standing {
  /** Null until the role is known. */
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
