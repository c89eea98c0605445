/** The paths of the operations, generated from the table of routes by the build. */
declare module 'virtual:operations' {
  export const paths: Readonly<Record<string, string>>
}
