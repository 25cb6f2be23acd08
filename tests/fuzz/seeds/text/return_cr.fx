graph():
return urn  #   	             