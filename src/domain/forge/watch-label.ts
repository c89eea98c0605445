/**
 * A label of issues that become work. A forge reads a comma as the end of a label, and none as
 * every issue.
 */
export const watchLabel = /^[^\s,][^,\n]{0,48}$/

export const watchLabelIs = 'a label without commas, of at most 49 characters'
