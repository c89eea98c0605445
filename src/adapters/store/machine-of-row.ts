import type { Selectable } from 'kysely'
import { limits } from '../../domain/limits.ts'
import type { MachineKind } from '../../domain/machine.ts'
import type { AnyMachine } from '../../domain/machines.ts'
import type { Tables } from './tables.ts'
import { upcastMachine } from './upcast-machine.ts'

type Row = Selectable<Tables['machines']>

interface MachineOfRow {
  readonly row: Row
  readonly machine: AnyMachine
}

/** The machines parsed from the last rows, by the machine's id. */
const known = new Map<string, MachineOfRow>()

/**
 * The machine in a row. An unchanged row gives the same object: a turn of a lane reads its Run, its
 * story and itself two dozen times, and parsing takes longer than SQLite does.
 */
export function machineOfRow(row: Row): AnyMachine {
  const { id, run, story, kind, state, version, data } = row
  const before = known.get(id)
  if (before !== undefined && isSame(before.row, row)) return before.machine
  const machine = upcastMachine({ id, kind: kind as MachineKind, run, story, state, version, data: JSON.parse(data) })
  known.delete(id)
  known.set(id, { row, machine })
  if (known.size > limits.machinesInMemory) known.delete(known.keys().next().value ?? '')
  return machine
}

function isSame(one: Row, other: Row): boolean {
  const isSameKind = one.kind === other.kind && one.run === other.run && one.story === other.story
  return isSameKind && one.version === other.version && one.state === other.state && one.data === other.data
}
