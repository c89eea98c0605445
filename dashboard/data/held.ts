import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Hold } from '../../src/api/held.ts'
import { act } from './act.ts'
import { useConnection, useNoOldFailure } from './connection.ts'
import { keys, useRuns } from './queries.ts'

/**
 * Requests a command with ten seconds' delay, in which anybody can undo it. `isHeld` is true until
 * then, so that it is not requested twice, and while no server could take it.
 */
export function useHold() {
  const client = useQueryClient()
  const { data } = useRuns()
  const hold = useMutation({
    mutationFn: (input: Hold) => act('hold', input),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.runs }),
  })
  useNoOldFailure(hold)
  // A server that has ended takes nothing.
  const isOver = useConnection() === 'ended'
  const line = data?.held.find(({ id }) => id === hold.data?.id)
  return { ...hold, isHeld: isOver || hold.isPending || (line !== undefined && line.problem === null) }
}

export function useUndo() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => act('undoHeld', { id }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.runs }),
  })
}
