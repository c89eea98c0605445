import type { ReactElement } from 'react'
import { may } from '../data/may.ts'

type Part<Props> = (props: Props) => ReactElement | null

/**
 * A part of a page that acts on work: a viewer sees nothing in its place, or a read-only version.
 * Every part that gives a command is made by this function (test/architecture.test.ts).
 */
export function forOperators<Props extends object>(
  Acting: Part<Props>,
  Reading: Part<Props> | null = null,
): Part<Props> {
  return (props) => {
    const Shown = may('operator') ? Acting : Reading
    return Shown && <Shown {...props} />
  }
}
