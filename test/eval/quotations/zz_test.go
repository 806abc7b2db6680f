package main
import ("testing";"fmt";"maps";"slices")
func TestZZ(t *testing.T){
 cases,_:=readCases(); as,_:=ask(cases)
 n:=map[string]int{}
 for _,a:=range as { if a.right()||half(a.Doc)!=measure {continue}
  k:=fmt.Sprint(a.Kind," found=",a.Found)
  for _,f:=range a.Match.Findings { k+=" "+string(f.Kind)}
  if a.isTrue() && !a.Found && len(a.Match.Findings)==0 { if a.Match.End>0 {k+=" passage"} else {k+=" none"} }
  n[k]++ }
 for _,k:=range slices.Sorted(maps.Keys(n)){fmt.Println(n[k],k)}
}
